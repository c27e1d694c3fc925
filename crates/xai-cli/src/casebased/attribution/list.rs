//! `xai casebased attribution list`

use clap::Args;
use xai_files::Failure;
use xai_metrics::casebased::data_attribution::METRICS;

use crate::listed::{self, Listed};
use crate::{Context, examples};

/// `xai casebased attribution list`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai casebased attribution list",
    "xai casebased attribution list --json",
]))]
pub(crate) struct List {}

impl List {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let listed = METRICS.iter().map(|entry| {
            let command = format!("xai casebased attribution {}", entry.info.name);
            Listed::new(entry.info, entry.params(), Some(command))
        });
        listed::present(context, listed.collect())
    }
}
