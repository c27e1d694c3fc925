//! The options that the commands `compare` of all families share.

use std::marker::PhantomData;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use xai_files::Failure;
use xai_metrics::common::Input;
use xai_metrics::common::describe::{InputSpec, Settings};
use xai_metrics::common::evaluation::EvaluationTable;

use crate::metric_commands::selection::{self, ALL_WORD, STANDARD_WORD, SelectedMetric};
use crate::metric_commands::{Family, InputFiles, arguments};
use crate::output::rows;
use crate::usage::interval_options::IntervalOptions;
use crate::usage::named_file::NamedFile;

/// The files, the metrics and the output of a comparison.
#[derive(Debug, Args)]
pub(crate) struct ComparisonOptions<F: Family> {
    #[command(flatten)]
    files: ComparedFiles<F>,
    /// The metrics, separated by commas, with settings in brackets.
    #[arg(long, value_name = "METRICS", default_value = default_metrics::<F>(), long_help = metrics_help::<F>())]
    metrics: Vec<Settings>,
    #[command(flatten)]
    pub(crate) intervals: IntervalOptions,
    /// Write a row per explainer, metric and sample: explainer, metric, sample, score.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: Option<PathBuf>,
}

fn default_metrics<F: Family>() -> &'static str {
    if F::STANDARD.is_empty() {
        ALL_WORD
    } else {
        STANDARD_WORD
    }
}

fn metrics_help<F: Family>() -> String {
    let default = default_metrics::<F>();
    let standard = if F::STANDARD.is_empty() {
        String::new()
    } else {
        format!("`{STANDARD_WORD}` are {}; ", F::STANDARD.join(", "))
    };
    format!(
        "The metrics, separated by commas, with settings of their parameters in brackets: 'NAME(PARAMETER=VALUE), NAME'. \
         {standard}`{ALL_WORD}` are all metrics whose files are given. Settings of a word apply to every metric that has the \
         parameter: '{default}(PARAMETER=VALUE)'. `xai {0} list` lists the metrics, `xai {0} NAME --help` the parameters of one",
        F::COMMAND
    )
}

impl<F: Family> ComparisonOptions<F> {
    /// The files that all explainers share.
    pub(crate) fn files(&self) -> &InputFiles {
        &self.files.shared
    }

    /// The inputs with a file for each explainer, and these files.
    pub(crate) fn all_named(&self) -> &[(Input, Vec<NamedFile>)] {
        &self.files.named
    }

    /// The files of the explainers for an input; empty if there are none.
    pub(crate) fn named(&self, wanted: Input) -> &[NamedFile] {
        let mut files = self.files.named.iter();
        let found = files.find(|(input, _)| *input == wanted);
        found.map_or(&[], |(_, files)| files.as_slice())
    }

    /// Whether there is a file of an input, or of one that replaces it.
    pub(crate) fn is_given(&self, input: Input) -> bool {
        let has_file = |input| self.files().has(input) || !self.named(input).is_empty();
        let mut substitutes = F::INPUTS
            .iter()
            .filter(|spec| spec.instead_of == Some(input));
        has_file(input) || substitutes.any(|spec| has_file(spec.input))
    }

    /// The selected metrics; of the word `all` those that are `possible`.
    pub(crate) fn select(
        &self,
        possible: impl Fn(&SelectedMetric<F>) -> bool,
    ) -> Result<Vec<SelectedMetric<F>>, Failure> {
        selection::select(&self.metrics, possible)
    }

    /// Writes the scores of all samples, if there is a file for them.
    pub(crate) fn write_scores(&self, table: &EvaluationTable) -> Result<(), Failure> {
        let scores = table.metrics.iter().flat_map(|metric| {
            let values = metric.values.iter();
            values.flat_map(|value| {
                rows::per_sample(&value.explainer, &metric.metric, &value.per_sample)
            })
        });
        rows::write(self.out.as_deref(), rows::SAMPLE_COLUMNS, scores)
    }

    /// The options of shared files that are given and that no metric reads.
    pub(crate) fn unused(&self, reads: impl Fn(&InputSpec) -> bool) -> Vec<String> {
        let given = shared::<F>().filter(|spec| self.files().has(spec.input));
        let is_unused = |spec: &&InputSpec| {
            // Another input may share the option.
            let mut same_option = shared::<F>().filter(|it| it.option_key() == spec.option_key());
            !same_option.any(&reads)
        };
        let mut options: Vec<String> = given.filter(is_unused).map(arguments::option_of).collect();
        options.dedup();
        options
    }
}

/// The inputs that all explainers share.
fn shared<F: Family>() -> impl Iterator<Item = &'static InputSpec> {
    F::INPUTS.iter().filter(|spec| F::is_shared(spec))
}

/// Files of inputs, each with an option of its input.
#[derive(Debug)]
struct ComparedFiles<F> {
    shared: InputFiles,
    /// Inputs with a file for each explainer.
    named: Vec<(Input, Vec<NamedFile>)>,
    family: PhantomData<F>,
}

fn named_inputs<F: Family>() -> impl Iterator<Item = &'static InputSpec> {
    F::INPUTS.iter().filter(|spec| spec.per_explainer)
}

impl<F: Family> Args for ComparedFiles<F> {
    fn augment_args(command: Command) -> Command {
        let required = named_inputs::<F>().filter(|spec| F::REQUIRED.contains(&spec.input));
        let mut one_of = required.map(F::compared_option);
        let first = one_of.next();
        let others: Vec<String> = one_of.collect();
        let named = named_inputs::<F>().map(|spec| {
            let name = F::compared_option(spec);
            let is_first = first.as_ref() == Some(&name);
            let option = arguments::named(spec, name);
            if is_first && !others.is_empty() {
                option.required_unless_present_any(&others)
            } else {
                option.required(is_first)
            }
        });
        let mut options: Vec<Arg> = named.collect();
        for spec in shared::<F>() {
            let option = arguments::optional(spec).required(F::REQUIRED.contains(&spec.input));
            let mut known = options.iter_mut();
            match known.find(|other| other.get_id() == option.get_id()) {
                // Inputs may share an option, because no metric needs both.
                Some(other) => {
                    let help = other.get_help().map(ToString::to_string);
                    let help = format!("{}; or {spec}", help.unwrap_or_default());
                    *other = other.clone().help(help);
                }
                None => options.push(option),
            }
        }
        command.args(options)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<F: Family> FromArgMatches for ComparedFiles<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = named_inputs::<F>().filter_map(|spec| {
            let files = matches.get_many::<NamedFile>(&F::compared_option(spec))?;
            Some((spec.input, files.cloned().collect()))
        });
        Ok(Self {
            shared: InputFiles::from_matches(matches, shared::<F>()),
            named: named.collect(),
            family: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
