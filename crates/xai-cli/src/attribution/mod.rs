//! `xai attribution`: the metrics of the registry, one command each, and commands over all of them.

pub(crate) mod compare;
pub(crate) mod explainer_files;
mod list;
mod metric;
pub(crate) mod model_files;
mod named;
pub(crate) mod options;
pub(crate) mod parameters;
mod reliability;
mod result;
mod side_inputs;
pub(crate) mod texts;

use clap::Subcommand;
use xai_files::Failure;

use crate::Context;

/// Commands of the group.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Metric(Box<metric::MetricCommand>),
    /// Which explainer to trust: all metrics of all explainers, with intervals and paired tests.
    Compare(Box<compare::Compare>),
    /// Every metric: what it asks, which values are better, what it needs.
    List(list::List),
    /// Which metrics to believe: whether samples, samples drawn again and other metrics say the same.
    Reliability(reliability::Reliability),
    /// Texts with the attributions of their tokens, and how far they agree with what people marked.
    Texts(texts::Texts),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Metric(command) => command.run(context),
        Command::Compare(command) => command.run(context),
        Command::List(command) => command.run(context),
        Command::Reliability(command) => command.run(context),
        Command::Texts(command) => command.run(context),
    }
}
