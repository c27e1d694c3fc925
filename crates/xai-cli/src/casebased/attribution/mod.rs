//! `xai casebased attribution`: the metrics of training-data attribution, one command each, and their list.

mod arguments;
pub(crate) mod compare;
mod inputs;
mod list;
mod metric;

use clap::Subcommand;
use xai_files::Failure;

use crate::Context;

/// Commands of the group.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Metric(metric::MetricCommand),
    /// Several explainers side by side: metrics with intervals over test cases, ranks and paired tests.
    Compare(Box<compare::CompareAttributions>),
    /// Every metric: what it asks, which values are better, what it needs.
    List(list::List),
}

/// Runs one command of the group.
pub(super) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Metric(command) => command.run(context),
        Command::Compare(command) => command.run(context),
        Command::List(command) => command.run(context),
    }
}
