//! The commands of a family of metrics: one per metric, `compare`, `list` and `reliability`.
//!
//! A family implements [`Family`], and [`Run`] for its [`MetricCommand`]; its commands are then [`MetricCommands`].

pub(crate) mod arguments;
pub(crate) mod comparison;
mod family;
mod files;
pub(crate) mod help;
pub(crate) mod list;
mod metric;
mod reliability;
pub(crate) mod selection;

use clap::{Args, Subcommand};
use xai_files::Failure;

use crate::Context;
pub(crate) use family::{Family, MetricCommand, RegisteredMetric, Run, commands};
pub(crate) use files::InputFiles;

/// The commands of a family; `C` is its command `compare`.
#[derive(Debug, Subcommand)]
pub(crate) enum MetricCommands<F: Family, C: Args> {
    #[command(flatten)]
    Metric(Box<MetricCommand<F>>),
    /// Compares explainers by several metrics, with intervals, ranks and paired tests.
    Compare(Box<C>),
    /// Lists the metrics: what they measure, which values are better, what they need.
    List(list::List<F>),
    /// Judges the metrics of a comparison: whether samples, redrawn samples and other metrics rank explainers alike.
    Reliability(reliability::Reliability<F>),
}

impl<F: Family, C: Args + Run> Run for MetricCommands<F, C>
where
    MetricCommand<F>: Run,
{
    fn run(&self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Metric(command) => command.run(context),
            Self::Compare(command) => command.run(context),
            Self::List(command) => command.run(context),
            Self::Reliability(command) => command.run(context),
        }
    }
}
