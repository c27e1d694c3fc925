//! `xai attribution list`

use clap::Args;
use xai_files::Failure;
use xai_metrics::attribution::metric::registry::metrics;

use crate::attribution::metric::arguments;
use crate::listed::{self, Listed};
use crate::{Context, examples};

/// `xai attribution list`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai attribution list",
    "xai attribution list --json",
]))]
pub(crate) struct List {}

impl List {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let listed = metrics().iter().map(|entry| {
            let has_command = arguments::entries().any(|other| std::ptr::eq(other, entry));
            let command = has_command.then(|| format!("xai attribution {}", entry.info.name));
            Listed::new(entry.info, entry.params(), command)
        });
        listed::present(context, listed.collect())
    }
}
