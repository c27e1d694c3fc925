//! `xai casebased fit`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_files::failure::{Failure, Files, InFiles};
use xai_metrics::casebased::TrainingInfo;

use super::fitting::{ColumnsUsed, Fitting, Missing};
use super::training::hide_file_rows;
use crate::context::Context;
use crate::output::whole_file;
use crate::usage::examples;

/// `xai casebased fit`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&["xai casebased fit --train train.csv --label class -k 7 --out fitted.xai"]))]
pub(crate) struct Fit {
    /// The training cases: numeric features and a label column.
    #[arg(long, value_name = "T.csv")]
    train: PathBuf,
    /// The column of the true class: whole numbers, words, or True and False.
    #[arg(long, value_name = "COLUMN")]
    label: String,
    /// A column of predicted classes in the training file, which is no feature.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
    #[command(flatten)]
    fitting: Fitting,
    #[command(flatten)]
    missing: Missing,
    /// Where the explainer is stored. The file holds the features of the training rows, redacted ones
    /// included: distances need them.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Serialize)]
struct FitResult<'a> {
    #[serde(flatten)]
    info: &'a TrainingInfo,
    #[serde(flatten)]
    used: ColumnsUsed,
}

impl Fit {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading and fitting training cases");
        let fitted = self.fitting.fit(
            &self.train,
            (&self.label, self.predicted.as_deref()),
            self.missing,
            true,
        )?;
        whole_file::write(&self.out, |file| {
            fitted
                .explainer
                .save(file)
                .in_files(&Files::mainly(&self.out))
        })?;
        drop(working);
        let mut info = fitted.explainer.training_info();
        hide_file_rows(&mut info.metadata_names);
        let used = fitted.used;
        used.remark(context);
        context.present(&FitResult { info: &info, used }, || {
            let out = whole_file::called(&self.out);
            format!("{info}\nstored in {}", out.display())
        })
    }
}
