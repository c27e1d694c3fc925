//! `xai casebased fit`

use std::path::PathBuf;

use clap::Args;

use super::fitting::Fitting;
use crate::context::Context;
use crate::failure::Failure;
use crate::output;

/// `xai casebased fit`
#[derive(Debug, Args)]
pub(crate) struct Fit {
    /// The training cases: numeric features and a label column.
    #[arg(long, value_name = "T.csv")]
    train: String,
    /// The column of the true class.
    #[arg(long, value_name = "COLUMN")]
    label: String,
    /// A column of predicted classes in the training file, which is no feature.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
    #[command(flatten)]
    fitting: Fitting,
    /// Where the explainer is stored. The file holds the training rows, redacted columns included.
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
        let mut refused = Ok(());
        output::write_whole(&self.out, |file| {
            fitted.explainer.save(file).map_err(|e| match e {
                xai_metrics::Error::Io { source, .. } => source,
                other => {
                    let text = other.to_string();
                    refused = Err(Failure::new(other));
                    std::io::Error::other(text)
                }
            })
        })?;
        refused?;
        let info = fitted.explainer.training_info();
        context.present(&info, || {
            format!("{info}\nstored in {}", self.out.display())
        })
    }
}
