//! `xai repro`

mod classes;
mod compare;
mod pairwise;
mod regression;
mod runs;
mod study;

use clap::ValueEnum;
use xai_metrics::repro::{EmptyUnion, PairMetric};

use crate::context::Context;
use crate::failure::Failure;

pub(crate) use pairwise::{PairwiseResult, pairwise};

/// The coverage of intervals.
const LEVEL: f64 = 0.95;

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
    #[command(subcommand)]
    Simulate(Simulate),
}

/// `xai repro simulate`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Simulate {
    /// Class probabilities of a given shape.
    Classes(classes::Classes),
    /// The simulation study: how each metric behaves where the truth is known.
    Study(study::StudyCommand),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Pairwise(command) => command.run(context),
        Command::Compare(command) => command.run(context),
        Command::Regression(command) => command.run(context),
        Command::Simulate(Simulate::Classes(command)) => command.run(context),
        Command::Simulate(Simulate::Study(command)) => command.run(context),
    }
}

/// `--empty-union`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EmptyUnionName {
    /// Undefined, and counted.
    Undefined,
    #[value(name = "0")]
    Zero,
    #[value(name = "1")]
    One,
    /// Leave the pair out.
    Drop,
    /// Stop at such a pair.
    Error,
}

impl From<EmptyUnionName> for EmptyUnion {
    fn from(name: EmptyUnionName) -> Self {
        match name {
            EmptyUnionName::Undefined => Self::Undefined,
            EmptyUnionName::Zero => Self::Zero,
            EmptyUnionName::One => Self::One,
            EmptyUnionName::Drop => Self::Drop,
            EmptyUnionName::Error => Self::Error,
        }
    }
}

/// A metric by name; `None` for `all`.
fn metric(name: &str) -> Result<Option<PairMetric>, String> {
    match name {
        "all" => Ok(None),
        name => name
            .parse()
            .map(Some)
            .map_err(|e: xai_metrics::Error| e.to_string()),
    }
}

/// The metrics that were named, each once, in the order of their first mention.
fn chosen(named: &[Option<PairMetric>]) -> Vec<PairMetric> {
    if named.contains(&None) {
        return PairMetric::ALL.to_vec();
    }
    let mut metrics = Vec::new();
    for &metric in named.iter().flatten() {
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    metrics
}

/// Serialises named entries as one object, in their order.
fn as_object<T: serde::Serialize, S: serde::Serializer>(
    entries: &[(String, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(name, entry)| (name, entry)))
}
