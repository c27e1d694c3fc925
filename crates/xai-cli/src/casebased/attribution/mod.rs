//! `xai casebased attribution`: the metrics of training-data attribution, one command each, and their list.

mod arguments;
pub(crate) mod compare;
mod inputs;
mod list;
mod metric;

use clap::{ArgMatches, FromArgMatches, Subcommand};
use xai_files::Failure;
use xai_metrics::casebased::data_attribution::METRICS;

use crate::Context;

/// Commands of the group.
#[derive(Debug)]
pub(crate) enum Command {
    /// A metric of the library's list.
    Metric(metric::MetricCommand),
    Compare(Box<compare::CompareAttributions>),
    List(list::List),
}

/// Commands over all metrics.
#[derive(Debug, Subcommand)]
enum OverMetrics {
    /// Several explainers side by side: metrics with intervals over test cases, ranks and paired tests.
    Compare(Box<compare::CompareAttributions>),
    /// Every metric: what it asks, which values are better, what it needs.
    List(list::List),
}

impl Subcommand for Command {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let metrics = METRICS.iter().map(arguments::command);
        OverMetrics::augment_subcommands(command.subcommands(metrics))
            .subcommand_required(true)
            .arg_required_else_help(true)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        METRICS.iter().any(|entry| entry.info.name == name) || OverMetrics::has_subcommand(name)
    }
}

impl FromArgMatches for Command {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        if let Some((name, of_metric)) = matches.subcommand()
            && let Some(entry) = METRICS.iter().find(|entry| entry.info.name == name)
        {
            let command = metric::MetricCommand::from_arg_matches(entry, of_metric);
            return Ok(Self::Metric(command));
        }
        Ok(match OverMetrics::from_arg_matches(matches)? {
            OverMetrics::Compare(compare) => Self::Compare(compare),
            OverMetrics::List(list) => Self::List(list),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Runs one command of the group.
pub(super) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Metric(command) => command.run(context),
        Command::Compare(command) => command.run(context),
        Command::List(command) => command.run(context),
    }
}
