//! Families of metrics with commands.

use std::fmt::Debug;
use std::path::PathBuf;

use clap::{ArgMatches, Command};
use xai_files::Failure;
use xai_metrics::common::Input;
use xai_metrics::common::describe::{InputSpec, MetricEntry, MetricInfo, Param, Value};

use crate::Context;
use crate::described::option_name;
use crate::metric_commands::InputFiles;

/// A family of metrics with commands of its own.
pub(crate) trait Family: Debug + Send + Sync + 'static {
    /// The words of its command: `casebased attribution`.
    const COMMAND: &'static str;
    /// The descriptions of all inputs of its metrics.
    const INPUTS: &'static [InputSpec];
    /// The metrics of the word `standard` of `--metrics`; empty if there is no such word.
    const STANDARD: &'static [&'static str] = &[];

    /// The inputs that `compare` requires; of those with a file for each explainer one is enough.
    const REQUIRED: &'static [Input];

    /// A metric of its registry.
    type Entry: RegisteredMetric;
    /// Options of a metric's command that are neither inputs nor parameters.
    type Options: Debug + Send + Sync;

    /// All its metrics.
    fn metrics() -> &'static [Self::Entry];

    /// Whether a metric has a command of its own.
    fn has_command(_: &Self::Entry) -> bool {
        true
    }

    /// Heading in the help for the metrics that measure the same.
    fn group(entry: &Self::Entry) -> &'static str;

    /// Whether `compare` can compute a metric.
    fn is_compared(_: &Self::Entry) -> bool {
        true
    }

    /// Whether a metric uses an input that it does not need.
    fn may_take(entry: &Self::Entry, input: Input) -> bool;

    /// Options that may be given instead of a file that a metric needs.
    fn alternatives(_: &Self::Entry, _: &InputSpec) -> Vec<&'static str> {
        Vec::new()
    }

    /// Adds the [options](Self::Options) of a metric to its command.
    fn add_options(_: &'static Self::Entry, command: Command) -> Command {
        command
    }

    /// Reads the options of a metric.
    fn options(entry: &Self::Entry, matches: &ArgMatches) -> Result<Self::Options, clap::Error>;

    /// Examples of a metric's command besides those with files of its inputs.
    fn other_examples(_: &Self::Entry) -> Vec<String> {
        Vec::new()
    }

    /// The help of `--out`; `None` for a metric without rows.
    fn out_help(entry: &Self::Entry) -> Option<&'static str>;

    /// Whether the explainers of a comparison share an input.
    fn is_shared(input: &InputSpec) -> bool {
        input.has_file() && !input.per_explainer
    }

    /// The name of an input's option in `compare`, without dashes.
    fn compared_option(input: &InputSpec) -> String {
        option_name(&input.option_key())
    }
}

/// A metric with its files, its parameters and its options.
#[derive(Debug)]
pub(crate) struct MetricCommand<F: Family> {
    pub(crate) entry: &'static F::Entry,
    pub(crate) files: InputFiles,
    /// Parameters by name, but for the seed.
    pub(crate) params: Vec<(String, Value)>,
    pub(crate) options: F::Options,
    pub(crate) out: Option<PathBuf>,
}

impl<F: Family> MetricCommand<F> {
    /// The value of a parameter.
    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        let mut params = self.params.iter();
        params.find_map(|(param, value)| (param == name).then(|| value.clone()))
    }
}

/// A metric of a family's registry.
pub(crate) trait RegisteredMetric: Debug + Send + Sync + 'static {
    /// The entry without its computation.
    fn entry(&self) -> MetricEntry;

    /// The description.
    fn info(&self) -> &'static MetricInfo {
        self.entry().info
    }

    /// The parameters with their defaults.
    fn params(&self) -> Vec<Param> {
        self.entry().params()
    }

    /// Whether it cannot be computed without an input.
    fn needs(&self, input: Input) -> bool {
        self.info().needs.contains(&input)
    }
}

/// A command that can be run.
pub(crate) trait Run {
    /// Computes the result and prints it.
    fn run(&self, context: &Context) -> Result<(), Failure>;
}

/// The metrics of a family that have a command.
pub(crate) fn commands<F: Family>() -> impl Iterator<Item = &'static F::Entry> {
    F::metrics().iter().filter(|entry| F::has_command(entry))
}
