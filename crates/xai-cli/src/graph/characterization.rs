//! `xai graph characterization` and `xai graph fidelity-auc`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use ndarray::Ix1;
use xai_files::{Failure, Files, InFiles, arrays};
use xai_metrics::graph as library;
use xai_metrics::graph::{fidelity_curve_auc, input};

use crate::output::{rows, text};
use crate::{Context, Described, examples};

/// `xai graph characterization`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai graph characterization --pos pos.npy --neg neg.npy",
    "xai graph characterization --pos pos.npy --neg neg.npy --pos-weight 0.3 --neg-weight 0.7 --out -",
]))]
pub(crate) struct Characterization {
    /// fid+ of each explanation, (m,), in [0, 1].
    #[arg(long, value_name = "P.npy")]
    pos: PathBuf,
    /// fid- of each explanation, (m,), in [0, 1].
    #[arg(long, value_name = "Q.npy")]
    neg: PathBuf,
    #[command(flatten)]
    metric: Described<library::Characterization>,
    /// Write a row per explanation: its number, fid+, fid- and the characterization.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl Characterization {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading and combining scores");
        let pos = arrays::read_f64::<Ix1>(&self.pos)?.to_vec();
        let neg = arrays::read_f64::<Ix1>(&self.neg)?.to_vec();
        let scores = self.metric.read()?.scores(&pos, &neg);
        let values = scores.in_files(&self.files())?;
        let explanations = || (0..pos.len()).map(|i| (i, [pos[i], neg[i], values[i]]));
        let header = [
            "explanation",
            "pos_fidelity",
            "neg_fidelity",
            "characterization",
        ];
        rows::write(
            self.out.as_deref(),
            header,
            explanations().map(|(i, [pos, neg, value])| {
                [
                    i.to_string(),
                    pos.to_string(),
                    neg.to_string(),
                    value.to_string(),
                ]
            }),
        )?;
        drop(working);
        context.present(&BTreeMap::from([("values", &values)]), || {
            let rows = explanations().map(|(i, numbers)| {
                let [pos, neg, value] = numbers.map(|x| format!("{x:.4}"));
                [i.to_string(), pos, neg, value]
            });
            let header = ["explanation", "fid+ ↑", "fid- ↓", "characterization ↑"];
            text::table(&header, rows)
        })
    }

    fn files(&self) -> Files<'_> {
        Files::new()
            .file(&[input::POS_FIDELITY], &self.pos)
            .file(&[input::NEG_FIDELITY], &self.neg)
            .shaped_by(&[input::NEG_FIDELITY], &self.pos)
            .options(&[(input::WEIGHT_SUM, "--pos-weight + --neg-weight")])
    }
}

/// `xai graph fidelity-auc`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&["xai graph fidelity-auc --pos pos.npy --neg neg.npy --x sizes.npy"]))]
pub(crate) struct FidelityAuc {
    /// fid+ at each point of the curve, (m,).
    #[arg(long, value_name = "P.npy")]
    pos: PathBuf,
    /// fid- at each point of the curve, (m,), below 1.
    #[arg(long, value_name = "Q.npy")]
    neg: PathBuf,
    /// Position of each point on the horizontal axis, for example the explanation size, (m,), ascending.
    #[arg(long, value_name = "X.npy")]
    x: PathBuf,
}

impl FidelityAuc {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading the curve");
        let read = |file: &Path| Ok::<_, Failure>(arrays::read_f64::<Ix1>(file)?.to_vec());
        let (pos, neg, x) = (read(&self.pos)?, read(&self.neg)?, read(&self.x)?);
        let value = fidelity_curve_auc(&pos, &neg, &x).in_files(&self.files())?;
        drop(working);
        context.present(&BTreeMap::from([("value", value)]), || {
            format!("area under fid+ / (1 - fid-): {value:.4}")
        })
    }

    fn files(&self) -> Files<'_> {
        Files::new()
            .file(&[input::POS_FIDELITY, input::POINTS, input::Y], &self.pos)
            .file(&[input::NEG_FIDELITY], &self.neg)
            .file(&[input::X], &self.x)
            .shaped_by(&[input::NEG_FIDELITY, input::X], &self.pos)
    }
}
