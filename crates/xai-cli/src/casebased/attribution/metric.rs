//! `xai casebased attribution NAME`: any metric of the list, on files.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use xai_files::{Failure, Files, InFiles};
use xai_metrics::casebased::data_attribution::{Entry, METRICS, Outcome, evaluate_all};
use xai_metrics::casebased::input;
use xai_metrics::core::Input;
use xai_metrics::core::describe::{Setting, Value};

use crate::Context;
use crate::casebased::attribution::arguments;
use crate::casebased::attribution::inputs;
use crate::output::{intervals, rows, text};

/// A metric, and where what it needs is.
#[derive(Debug)]
pub(crate) struct MetricCommand {
    entry: &'static Entry,
    files: Vec<(Input, PathBuf)>,
    params: Vec<(String, Value)>,
    out: Option<PathBuf>,
}

/// The JSON of a metric: its name, the headline and all else of its result.
struct MetricResult<'a> {
    entry: &'static Entry,
    outcome: &'a Outcome,
}

impl Serialize for MetricResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = serde_json::to_value(self.outcome).map_err(serde::ser::Error::custom)?;
        let mut result = serializer.serialize_map(None)?;
        result.serialize_entry("metric", &self.entry.key())?;
        result.serialize_entry("value", &self.outcome.value())?;
        result.serialize_entry("direction", &self.entry.info.direction)?;
        let fields = fields.as_object().into_iter().flatten();
        for (name, value) in fields.filter(|(name, _)| *name != "value") {
            result.serialize_entry(name, value)?;
        }
        result.end()
    }
}

/// A command for each metric of the library's list.
impl Subcommand for MetricCommand {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(METRICS.iter().map(arguments::command))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        METRICS.iter().any(|entry| entry.info.name == name)
    }
}

impl FromArgMatches for MetricCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let of_metric = matches.subcommand().and_then(|(name, matches)| {
            let entry = METRICS.iter().find(|entry| entry.info.name == name);
            Some((entry?, matches))
        });
        let (entry, matches) = of_metric.ok_or(clap::Error::new(ErrorKind::MissingSubcommand))?;
        let file = |of: Input| matches.get_one::<PathBuf>(of.name()).cloned();
        let files = arguments::inputs_of(entry);
        let params = entry.params().into_iter().filter_map(|param| {
            let text = matches.get_one::<String>(param.name)?;
            Some((param.name.to_owned(), Value::Text(text.clone())))
        });
        let out = matches.try_get_one::<PathBuf>("out").ok().flatten();
        Ok(Self {
            entry,
            files: files
                .filter_map(|of| Some((of.input, file(of.input)?)))
                .collect(),
            params: params.collect(),
            out: out.cloned(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl MetricCommand {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading attributions");
        let data = inputs::read(&self.files)?;
        let metric = Setting {
            name: self.entry.info.name.to_owned(),
            params: self.params.clone(),
        };
        let params = self.entry.params();
        let params = params.iter().map(|param| param.name);
        let outcomes =
            evaluate_all(&data, &[metric]).in_files(&places(&self.files).named_options(params))?;
        drop(working);
        for outcome in &outcomes {
            self.write_rows(outcome)?;
            let result = MetricResult {
                entry: self.entry,
                outcome,
            };
            context.present(&intervals::as_pairs(&result)?, || {
                let name = text::with_arrow(&self.entry.key(), self.entry.info.direction);
                format!("{name}: {outcome}")
            })?;
        }
        Ok(())
    }

    fn write_rows(&self, outcome: &Outcome) -> Result<(), Failure> {
        let out = self.out.as_deref();
        let numbered = |values: &[f64]| {
            let rows = values.iter().enumerate();
            let rows = rows.map(|(n, value)| [n.to_string(), value.to_string()]);
            rows.collect::<Vec<_>>()
        };
        match outcome {
            Outcome::TestCases(of) => {
                let values = of.per_sample.iter().enumerate();
                let rows_of = values.map(|(t, value)| [t.to_string(), text::cell(*value)]);
                rows::write(out, ["sample", "score"], rows_of)
            }
            Outcome::Mislabeling(of) => {
                let curve = of.curve.as_deref().unwrap_or_default();
                rows::write(out, ["inspected", "found"], numbered(curve))
            }
            Outcome::Brittleness(of) => {
                let curve = of.ks.iter().zip(&of.curve);
                let rows_of = curve.map(|(k, share)| [k.to_string(), share.to_string()]);
                rows::write(out, ["k", "share"], rows_of)
            }
            // It has no option for rows.
            Outcome::Cardinality(_) => Ok(()),
        }
    }
}

/// The file of every input.
pub(super) fn places(files: &[(Input, PathBuf)]) -> Files<'_> {
    let mut files_of = Files::new();
    for (of, file) in files {
        files_of = files_of.file(&[*of], file);
    }
    match files.iter().find(|(of, _)| *of == input::ATTRIBUTIONS) {
        Some((attributions, file)) => {
            let others = files.iter().filter(|(of, _)| of != attributions);
            let others: Vec<Input> = others.map(|(of, _)| *of).collect();
            files_of.shaped_by(&others, file)
        }
        None => files_of,
    }
}
