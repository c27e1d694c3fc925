//! `xai casebased fit`

use std::path::PathBuf;

use clap::Args;

use super::fitting::Fitting;
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles};
use crate::output::whole_file;

/// `xai casebased fit`
#[derive(Debug, Args)]
pub(crate) struct Fit {
    /// The training cases: numeric features and a label column.
    #[arg(long, value_name = "T.csv")]
    train: PathBuf,
    /// The column of the true class.
    #[arg(long, value_name = "COLUMN")]
    label: String,
    /// A column of predicted classes in the training file, which is no feature.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
    #[command(flatten)]
    fitting: Fitting,
    /// Where the explainer is stored. The file holds the features of the training rows, redacted ones
    /// included: distances need them.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Fit {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let fitted = self.fitting.fit(
            &self.train,
            &self.label,
            self.predicted.as_deref(),
            true,
            context,
        )?;
        whole_file::write(&self.out, |file| {
            fitted
                .explainer
                .save(file)
                .in_files(&Files::mainly(&self.out))
        })?;
        let info = fitted.explainer.training_info();
        context.present(&info, || {
            format!("{info}\nstored in {}", self.out.display())
        })
    }
}
