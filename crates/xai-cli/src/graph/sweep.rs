//! `xai graph sweep`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ndarray::{Ix1, Ix2, Ix3};
use serde::Serialize;
use xai_metrics::graph::{Sweep as SweepMetric, SweepCurve, SweepPoint};

use super::{Compared, Divergence, blame, is_single};
use crate::arrays;
use crate::context::Context;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// Outputs on the whole graph, (n, c).
    #[arg(long, value_name = "F.npy", requires_all = ["kept", "complement", "levels"])]
    #[cfg_attr(feature = "onnx", arg(required_unless_present = "model"))]
    #[cfg_attr(not(feature = "onnx"), arg(required = true))]
    full: Option<String>,
    /// Outputs on the explanation alone at each level, (levels, n, c).
    #[arg(long, value_name = "K.npy", requires = "full")]
    kept: Option<String>,
    /// Outputs on the graph without the explanation at each level, (levels, n, c).
    #[arg(long, value_name = "C.npy", requires = "full")]
    complement: Option<String>,
    /// The size at each level, (levels,), ascending. With a model the default is 0.1, 0.2, … 1.
    #[arg(long, value_name = "X.npy")]
    levels: Option<String>,
    #[cfg(feature = "onnx")]
    #[command(flatten)]
    source: super::model::SweepSource,
    #[command(flatten)]
    compared: Compared,
    #[command(flatten)]
    divergence: Divergence,
    /// Write one row a level.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// What levels count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// The share of the edges that is kept.
    Fraction,
    /// The number of edges that are kept.
    TopK,
    /// Edges above the threshold are kept. Larger thresholds keep less.
    Threshold,
}

#[derive(Serialize)]
struct SweepResult<'a> {
    curve: &'a [SweepPoint],
    fidelity_auc: Option<f64>,
    best_level: f64,
}

impl Sweep {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let compared = self.compared.read()?;
        let levels = match &self.levels {
            Some(file) => arrays::read_f64::<Ix1>(file)?.to_vec(),
            None => (1..=10).map(|tenth| f64::from(tenth) / 10.0).collect(),
        };
        let sweep = SweepMetric::new()
            .fidelity(compared.metric())
            .unfaithfulness(self.divergence.metric());
        let curve = match (&self.full, &self.kept, &self.complement) {
            (Some(full), Some(kept), Some(complement)) => {
                self.over_outputs(&sweep, full, kept, complement, &levels)?
            }
            #[cfg(feature = "onnx")]
            _ => self.over_model(&sweep, &levels, context)?,
            #[cfg(not(feature = "onnx"))]
            _ => return Err(Failure::usage("--full, --kept and --complement are needed")),
        };
        if let Some(path) = &self.out {
            let header = [
                "level",
                "pos_fidelity",
                "neg_fidelity",
                "characterization",
                "unfaithfulness",
            ];
            let rows = curve.points.iter().map(|point| {
                [
                    point.level,
                    point.pos_fidelity,
                    point.neg_fidelity,
                    point.characterization,
                    point.unfaithfulness,
                ]
                .map(|value| value.to_string())
            });
            output::write_csv(path, &header, rows)?;
        }
        let result = SweepResult {
            curve: &curve.points,
            fidelity_auc: curve.fidelity_auc,
            best_level: curve.points[curve.best].level,
        };
        context.present(&result, || curve.to_string())
    }

    fn over_outputs(
        &self,
        sweep: &SweepMetric<'_>,
        full: &String,
        kept: &String,
        complement: &String,
        levels: &[f64],
    ) -> Result<SweepCurve, Failure> {
        let files = [
            ("full", Some(full)),
            ("samples", Some(full)),
            ("kept", Some(kept)),
            ("complement", Some(complement)),
            ("levels", self.levels.as_ref()),
        ];
        let files = [&files[..], &self.compared.files()].concat();
        let [full, kept, complement] = [full, kept, complement].map(|file| arrays::read(file));
        let (full, kept, complement) = (full?, kept?, complement?);
        let curve = if [&full, &kept, &complement].into_iter().all(is_single) {
            let full = full.into_f32::<Ix2>()?;
            let (kept, complement) = (kept.into_f32::<Ix3>()?, complement.into_f32::<Ix3>()?);
            sweep.evaluate(full.view(), kept.view(), complement.view(), levels)
        } else {
            let full = full.into_f64::<Ix2>()?;
            let (kept, complement) = (kept.into_f64::<Ix3>()?, complement.into_f64::<Ix3>()?);
            sweep.evaluate(full.view(), kept.view(), complement.view(), levels)
        };
        blame(curve, &files)
    }

    #[cfg(feature = "onnx")]
    fn over_model(
        &self,
        sweep: &SweepMetric<'_>,
        levels: &[f64],
        context: &Context,
    ) -> Result<SweepCurve, Failure> {
        let files = [("levels", self.levels.as_ref())];
        let files = [&files[..], &self.source.files(), &self.compared.files()].concat();
        self.source.run(sweep, levels, &files, context)
    }
}
