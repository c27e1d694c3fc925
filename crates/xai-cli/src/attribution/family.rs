//! The metrics of attribution maps as a family of commands.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches, value_parser};
use xai_metrics::attribution::metric::Entry;
use xai_metrics::attribution::metric::registry::{self, metrics};
use xai_metrics::attribution::{self, input};
use xai_metrics::common::Input;
use xai_metrics::common::describe::{InputSpec, MetricEntry};

use crate::attribution::options::{LayoutOptions, ScoringOptions};
use crate::attribution::result;
use crate::metric_commands::{Family, RegisteredMetric, arguments};

/// The family `xai attribution`.
#[derive(Debug)]
pub(crate) struct MapMetrics;

/// Source of a metric: stored scores, a model, or maps.
#[derive(Debug)]
pub(crate) enum MetricSource {
    /// Files with scores of whole and of masked inputs.
    Scores { base: PathBuf, masked: PathBuf },
    /// A model that scores inputs, an explainer, or both.
    Model(ScoringOptions),
    /// Maps alone.
    Maps(LayoutOptions),
}

impl RegisteredMetric for Entry {
    fn entry(&self) -> MetricEntry {
        (**self).description()
    }
}

impl Family for MapMetrics {
    const COMMAND: &'static str = "attribution";
    const INPUTS: &'static [InputSpec] = attribution::INPUTS;
    const STANDARD: &'static [&'static str] = &registry::STANDARD;
    const REQUIRED: &'static [Input] = &[
        input::MODEL,
        input::INPUTS,
        input::TARGETS,
        input::EXPLANATIONS,
        input::EXPLAINER,
    ];

    type Entry = Entry;
    type Options = MetricSource;

    fn metrics() -> &'static [Entry] {
        metrics()
    }

    fn has_command(entry: &Entry) -> bool {
        reads_files(entry) || result::score_function(entry).is_some()
    }

    fn group(entry: &Entry) -> &'static str {
        let mut groups = registry::groups().into_iter();
        let has = |metrics: &[Entry]| metrics.iter().any(|it| it.info.name == entry.info.name);
        groups
            .find(|(_, metrics)| has(metrics))
            .map_or("Other metrics", |(name, _)| name)
    }

    fn is_compared(entry: &Entry) -> bool {
        entry.is_built() && has_files(entry)
    }

    fn may_take(entry: &Entry, input: Input) -> bool {
        match input {
            // To leave out neighbours of another prediction.
            input::MODEL => entry.has_param("same_prediction"),
            // An explainer may stand for the file of maps, or the file of maps come with the explainer.
            input::EXPLAINER => calls_model(entry) && entry.needs(input::EXPLANATIONS),
            input::EXPLANATIONS => entry.needs(input::EXPLAINER),
            input => entry.draws() == Some(input),
        }
    }

    fn alternatives(entry: &Entry, spec: &InputSpec) -> Vec<&'static str> {
        let can_explain =
            spec.input == input::EXPLANATIONS && Self::may_take(entry, input::EXPLAINER);
        let explainer = can_explain.then_some(input::EXPLAINER.name());
        let base = result::score_function(entry).map(|_| "base");
        explainer.into_iter().chain(base).collect()
    }

    fn add_options(entry: &'static Entry, command: Command) -> Command {
        let with_reading = if calls_model(entry) {
            ScoringOptions::augment_args(command)
        } else {
            LayoutOptions::augment_args(command)
        };
        with_reading.args(score_options(entry))
    }

    fn options(entry: &Entry, matches: &ArgMatches) -> Result<MetricSource, clap::Error> {
        let file = |name| matches.try_get_one::<PathBuf>(name).ok().flatten().cloned();
        if let Some((base, masked)) = file("base").zip(file("masked")) {
            Ok(MetricSource::Scores { base, masked })
        } else if calls_model(entry) {
            ScoringOptions::from_arg_matches(matches).map(MetricSource::Model)
        } else {
            LayoutOptions::from_arg_matches(matches).map(MetricSource::Maps)
        }
    }

    fn other_examples(entry: &Entry) -> Vec<String> {
        let name = entry.info.name;
        let scores = || format!("xai attribution {name} --base base.npy --masked masked.npy");
        result::score_function(entry)
            .map(|_| scores())
            .into_iter()
            .collect()
    }

    fn out_help(entry: &Entry) -> Option<&'static str> {
        Some(if result::score_function(entry).is_some() {
            "Write a row per sample: sample, base, masked, score"
        } else {
            "Write a row per sample: sample, score; of a curve per point: n_flipped, score"
        })
    }

    fn is_shared(spec: &InputSpec) -> bool {
        // Draws are of one metric.
        spec.has_file() && !spec.per_explainer && spec.option != Some("draws")
    }

    fn compared_option(spec: &InputSpec) -> String {
        let option = arguments::option_of(spec);
        if spec.input == input::EXPLAINER {
            option + "s"
        } else {
            option
        }
    }
}

fn has_files(entry: &Entry) -> bool {
    let has_file = |need: &Input| {
        let spec = attribution::input_spec(*need);
        spec.is_some_and(InputSpec::has_file)
    };
    entry.info.needs.iter().all(has_file)
}

/// Whether a metric can be computed from files of its inputs.
pub(super) fn reads_files(entry: &Entry) -> bool {
    let needs_inputs = entry.needs(input::INPUTS);
    entry.is_built() && has_files(entry) && (!needs_inputs || calls_model(entry))
}

pub(super) fn calls_model(entry: &Entry) -> bool {
    entry.needs(input::MODEL) || entry.needs(input::EXPLAINER)
}

/// Stored scores, which a metric of scores can read instead of the files of its inputs.
fn score_options(entry: &'static Entry) -> Vec<Arg> {
    if result::score_function(entry).is_none() {
        return Vec::new();
    }
    let option = |name, other, value_name, help| {
        Arg::new(name)
            .long(name)
            .value_name(value_name)
            .help(help)
            .requires(other)
            .value_parser(value_parser!(PathBuf))
    };
    let base_help = "Scores of the whole inputs (n,), instead of a model";
    let masked_help = "Scores of the masked inputs (n,), instead of a model";
    let files = arguments::inputs::<MapMetrics>(entry).map(InputSpec::option_key);
    vec![
        option("base", "masked", "B.npy", base_help).conflicts_with_all(files),
        option("masked", "base", "A.npy", masked_help),
    ]
}

#[cfg(test)]
mod tests {
    use clap::Arg;
    use xai_metrics::common::Input;
    use xai_metrics::common::describe::Value;

    use super::*;
    use crate::attribution::options::names;
    use crate::described::{SEED, option_name};
    use crate::metric_commands::commands;

    /// A parameter has one name: in its description, as an option, in the errors about it, in settings.
    #[test]
    fn every_parameter_is_an_option_of_its_name_in_help_and_errors() {
        for entry in commands::<MapMetrics>().filter(|entry| entry.is_built()) {
            let command = arguments::command::<MapMetrics>(entry);
            for param in entry.params() {
                let name = format!("{} of {}", param.name, entry.info.name);
                if param.name == SEED {
                    continue; // an option of every command
                }
                let option = option_name(param.name);
                let argument = command
                    .get_arguments()
                    .find(|a| a.get_long() == Some(&option));
                let help = argument.and_then(Arg::get_help).map(ToString::to_string);
                assert!(
                    help.unwrap().starts_with(param.doc.trim_end_matches('.')),
                    "{name}"
                );
                let wrong = vec![(param.name.to_owned(), Value::from("no such value"))];
                let error = entry.build::<f64>(&wrong).err().expect(&name);
                assert_eq!(error.input(), Input::new(param.name), "{name}");
                let files = names().named_options([param.name]);
                assert_eq!(
                    files.failure(&error).option(),
                    Some(option.as_str()),
                    "{name}"
                );
                let setting = format!("{}({}=no such value)", entry.key(), param.name);
                let setting: xai_metrics::common::describe::Setting = setting.parse().unwrap();
                assert_eq!(setting.params[0].0, param.name);
            }
        }
    }
}
