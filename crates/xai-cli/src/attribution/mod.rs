//! `xai attribution`: the metrics of attribution maps, one command each, and commands over all of them.

pub(crate) mod compare;
pub(crate) mod explainer_files;
mod family;
mod inputs;
mod metric;
mod model_files;
mod opened;
pub(crate) mod options;
mod result;
pub(crate) mod texts;

use clap::Subcommand;
use xai_files::Failure;

use crate::Context;
pub(crate) use crate::attribution::family::MapMetrics;
use crate::metric_commands::{MetricCommands, Run};

/// Commands of the group.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Metrics(MetricCommands<MapMetrics, compare::Compare>),
    /// Texts with the attributions of their tokens, and how far they agree with what people marked.
    Texts(texts::Texts),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Metrics(command) => command.run(context),
        Command::Texts(command) => command.run(context),
    }
}
