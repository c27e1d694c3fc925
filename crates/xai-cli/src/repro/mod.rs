//! `xai repro`

use xai_files::Failure;

mod compare;
pub(crate) mod options;
pub(crate) mod pairwise;
mod regression;
pub(crate) mod runs;
pub(crate) mod simulate;
pub(crate) mod table_runs;

use crate::{Context, examples};

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Every metric on every pair of runs.
    Pairwise(pairwise::Pairwise),
    /// Are two groups of runs equally reproducible? A permutation test.
    Compare(compare::Compare),
    /// Every metric on every pair of runs that predict numbers.
    Regression(regression::Regression),
    /// What the metrics are tried on.
    #[command(subcommand, after_help = examples::of(&[
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
