//! `xai graph sweep`

use std::path::{Path, PathBuf};

use clap::Args;
use ndarray::{Ix1, Ix2, Ix3};
use serde::Serialize;
use xai_files::arrays::StoredArray;
use xai_files::{Failure, Files, InFiles, arrays};
use xai_metrics::graph::dataset::{SweepCurve, SweepPoint};
use xai_metrics::graph::{SparsitySweep, UnfaithfulnessMetric, help, input};

use crate::graph::options::comparison::ComparisonOptions;
use crate::graph::unfaithfulness::assumed;
use crate::output::rows;
use crate::{Context, Described, examples};

/// `xai graph sweep`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&["xai graph sweep --full full.npy --kept kept.npy --complement complement.npy --levels sizes.npy"]))]
pub(crate) struct SweepCommand {
    /// Outputs on the whole graph, (n, c).
    #[arg(long, value_name = "F.npy", requires_all = ["kept", "complement", "levels"], required_unless_present = "model")]
    full: Option<PathBuf>,
    /// Outputs on the explanation alone at each level, (levels, n, c).
    #[arg(long, value_name = "K.npy", requires = "full")]
    kept: Option<PathBuf>,
    /// Outputs on the graph without the explanation at each level, (levels, n, c).
    #[arg(long, value_name = "C.npy", requires = "full")]
    complement: Option<PathBuf>,
    /// Explanation size at each level, (levels,), ascending. Default with a model: 0.1, 0.2, …, 1.
    #[arg(long, value_name = "X.npy")]
    levels: Option<PathBuf>,
    #[command(flatten)]
    model: super::model_sweep::ModelSource,
    #[command(flatten)]
    comparison: ComparisonOptions,
    #[command(flatten)]
    divergence: Described<UnfaithfulnessMetric<'static>>,
    /// Write a row per level: the size and its scores.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct SweepResult<'a> {
    curve: &'a [SweepPoint],
    fidelity_auc: Option<f64>,
    best_level: f64,
    /// Remark if the outputs do not look like the kind that they were read as.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumed: Option<&'a str>,
}

/// Scores at every explanation size.
pub(crate) struct SweepScores {
    pub(crate) curve: SweepCurve,
    /// The rows that are explained; `None` for all.
    pub(crate) index: Option<Vec<usize>>,
    /// Remark if the outputs do not look like the kind that they were read as.
    assumed: Option<String>,
}

impl SweepCommand {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let SweepScores { curve, assumed, .. } = self.evaluate(context)?;
        self.write_points(&curve)?;
        let result = SweepResult {
            curve: &curve.points,
            fidelity_auc: curve.fidelity_auc,
            best_level: curve.points[curve.best].level,
            assumed: assumed.as_deref(),
        };
        context.present(&result, || match &assumed {
            None => curve.to_string(),
            Some(assumed) => format!("{curve}\n{assumed}"),
        })
    }

    /// Computes the scores at every explanation size.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<SweepScores, Failure> {
        // A sweep of a model shows a progress bar of its own.
        let reads_outputs = self.full.is_some();
        let working = reads_outputs.then(|| context.working("reading and comparing outputs"));
        let stored = self.outputs()?;
        let comparison = self.comparison.read(|| match &stored {
            Some([full, ..]) => Ok(full.n_rows()),
            None => self.model.n_rows(context),
        })?;
        let levels = match &self.levels {
            Some(file) => arrays::read_f64::<Ix1>(file)?.to_vec(),
            None => (1..=10).map(|tenth| f64::from(tenth) / 10.0).collect(),
        };
        let divergence = self.divergence.read()?;
        let sweep = SparsitySweep::new()
            .fidelity(comparison.metric())
            .unfaithfulness(divergence);
        let (curve, assumed) = match stored {
            Some(outputs) => {
                let full = outputs[0].clone().into_f64::<Ix2>()?;
                let curve = self.over_outputs(&sweep, outputs, &levels)?;
                (curve, assumed(&divergence, full.view()))
            }
            None => {
                let (files, levels_file) = (self.files(), self.levels.as_ref());
                let curve = self
                    .model
                    .run(&sweep, &levels, &files, levels_file, context)?;
                (curve, None)
            }
        };
        drop(working);
        Ok(SweepScores {
            curve,
            index: comparison.index,
            assumed,
        })
    }

    /// Returns the files of the edges and of the mask of the model's graph.
    pub(crate) fn edges_and_mask(&self) -> (Option<&Path>, Option<&Path>) {
        self.model.graph.edges_and_mask()
    }

    fn files(&self) -> Files<'_> {
        let mut files = Files::new();
        let outputs = [input::KEPT, input::COMPLEMENT];
        if let Some(full) = &self.full {
            let per_row = [input::KEPT, input::COMPLEMENT, input::TARGET];
            files = files.shaped_by(&per_row, full);
            files = files.bounded_by(&[input::INDEX], full);
        }
        if let Some(levels) = &self.levels {
            files = files.shaped_by(&outputs, levels);
        }
        files
            .optional(&[input::FULL, input::SAMPLES], self.full.as_ref())
            .optional(&[input::KEPT], self.kept.as_ref())
            .optional(&[input::COMPLEMENT], self.complement.as_ref())
            .optional(&[input::LEVELS], self.levels.as_ref())
            .and(self.comparison.files())
            .hints(&[(
                help::PASS_LABELS_FOR_ONE_COLUMN,
                "save a single score as two logits per row, 0 and the score",
            )])
    }

    /// Reads the outputs; `None` if a model is given instead.
    fn outputs(&self) -> Result<Option<[StoredArray; 3]>, Failure> {
        match (&self.full, &self.kept, &self.complement) {
            (Some(full), Some(kept), Some(complement)) => {
                let [full, kept, complement] = [full, kept, complement].map(arrays::read);
                Ok(Some([full?, kept?, complement?]))
            }
            _ => Ok(None),
        }
    }

    fn over_outputs(
        &self,
        sweep: &SparsitySweep<'_>,
        [full, kept, complement]: [StoredArray; 3],
        levels: &[f64],
    ) -> Result<SweepCurve, Failure> {
        let curve = if full.is_single() && kept.is_single() && complement.is_single() {
            let full = full.into_f32::<Ix2>()?;
            let (kept, complement) = (kept.into_f32::<Ix3>()?, complement.into_f32::<Ix3>()?);
            sweep.evaluate(full.view(), kept.view(), complement.view(), levels)
        } else {
            let full = full.into_f64::<Ix2>()?;
            let (kept, complement) = (kept.into_f64::<Ix3>()?, complement.into_f64::<Ix3>()?);
            sweep.evaluate(full.view(), kept.view(), complement.view(), levels)
        };
        curve.in_files(&self.files())
    }

    fn write_points(&self, curve: &SweepCurve) -> Result<(), Failure> {
        let header = [
            "level",
            "pos_fidelity",
            "neg_fidelity",
            "characterization",
            "unfaithfulness",
        ];
        let points = curve.points.iter().map(|point| {
            [
                point.level,
                point.pos_fidelity,
                point.neg_fidelity,
                point.characterization,
                point.unfaithfulness,
            ]
            .map(|value| value.to_string())
        });
        rows::write(self.out.as_deref(), header, points)
    }
}
