//! `xai repro`

use xai_files::Failure;

mod compare;
pub(crate) mod options;
pub(crate) mod pairwise;
pub(crate) mod regression;
pub(crate) mod runs;
pub(crate) mod simulate;
pub(crate) mod table_runs;

use crate::{Context, examples};

/// Commands of the group `repro`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Agreement of predictions and of errors for every pair of runs of a classifier.
    Pairwise(pairwise::Pairwise),
    /// Permutation test of whether two groups of runs are equally reproducible.
    Compare(compare::Compare),
    /// Agreement of predictions and of errors for every pair of runs of a regression model.
    Regression(regression::Regression),
    /// Simulated predictions on which the metrics are evaluated.
    #[command(subcommand, after_help = examples::section(&[
        "xai repro simulate classes --kind step --n-classes 5",
        "xai repro simulate study --iterations 1000",
    ]))]
    Simulate(simulate::Command),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Pairwise(command) => command.run(context),
        Command::Compare(command) => command.run(context),
        Command::Regression(command) => command.run(context),
        Command::Simulate(command) => simulate::run(command, context),
    }
}
