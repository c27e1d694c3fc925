//! `xai graph characterization`

use std::path::PathBuf;

use clap::Args;
use ndarray::Ix1;
use serde::Serialize;
use xai_files::arrays;
use xai_files::failure::{Failure, Files, InFiles};
use xai_metrics::graph::{self as library, input};

use crate::context::Context;
use crate::described::Described;
use crate::output::{rows, text};
use crate::usage::examples;

/// `xai graph characterization`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&[
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
    /// Write one row per explanation.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct CharacterizationResult {
    values: Vec<f64>,
}

impl Characterization {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading and combining scores");
        let pos = arrays::read_f64::<Ix1>(&self.pos)?.to_vec();
        let neg = arrays::read_f64::<Ix1>(&self.neg)?.to_vec();
        let values = self.metric.read()?.scores(&pos, &neg);
        let values = values.in_files(&self.files())?;
        let result = CharacterizationResult { values };
        let explanations = || (0..pos.len()).map(|i| (i, [pos[i], neg[i], result.values[i]]));
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
        context.present(&result, || {
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
