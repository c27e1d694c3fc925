//! `xai attribution`: the metrics of the registry, one command each, and commands over all of them.

#[cfg(feature = "onnx")]
pub(crate) mod compare;
#[cfg(feature = "onnx")]
pub(crate) mod explainer_files;
mod list;
mod metric;
#[cfg(feature = "onnx")]
pub(crate) mod model_files;
mod named;
pub(crate) mod options;
pub(crate) mod parameters;
mod reliability;
mod result;
mod side_inputs;
pub(crate) mod texts;

use clap::{ArgMatches, FromArgMatches, Subcommand};
use xai_files::Failure;

use crate::Context;
use metric::arguments;

/// Commands of the group.
#[derive(Debug)]
pub(crate) enum Command {
    /// A metric of the registry.
    Metric(Box<metric::MetricCommand>),
    #[cfg(feature = "onnx")]
    Compare(Box<compare::Compare>),
    List(list::List),
    Reliability(reliability::Reliability),
    Texts(texts::Texts),
}

/// Commands over all metrics.
#[derive(Debug, Subcommand)]
enum OverMetrics {
    /// Which explainer to trust: all metrics of all explainers, with intervals and paired tests.
    #[cfg(feature = "onnx")]
    Compare(Box<compare::Compare>),
    /// Every metric: what it asks, which values are better, what it needs.
    List(list::List),
    /// Which metrics to believe: whether samples, samples drawn again and other metrics say the same.
    Reliability(reliability::Reliability),
    /// Texts with the attributions of their tokens, and how far they agree with what people marked.
    Texts(texts::Texts),
}

impl Subcommand for Command {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let metrics = arguments::entries().map(arguments::command);
        OverMetrics::augment_subcommands(command.subcommands(metrics))
            .subcommand_required(true)
            .arg_required_else_help(true)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        arguments::entries().any(|entry| entry.info.name == name)
            || OverMetrics::has_subcommand(name)
    }
}

impl FromArgMatches for Command {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        if let Some((name, of_metric)) = matches.subcommand()
            && let Some(entry) = arguments::entries().find(|entry| entry.info.name == name)
        {
            let command = metric::MetricCommand::from_arg_matches(entry, of_metric)?;
            return Ok(Self::Metric(Box::new(command)));
        }
        Ok(match OverMetrics::from_arg_matches(matches)? {
            #[cfg(feature = "onnx")]
            OverMetrics::Compare(compare) => Self::Compare(compare),
            OverMetrics::List(list) => Self::List(list),
            OverMetrics::Reliability(reliability) => Self::Reliability(reliability),
            OverMetrics::Texts(texts) => Self::Texts(texts),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Metric(command) => command.run(context),
        #[cfg(feature = "onnx")]
        Command::Compare(command) => command.run(context),
        Command::List(command) => command.run(context),
        Command::Reliability(command) => command.run(context),
        Command::Texts(command) => command.run(context),
    }
}
