//! The metrics of counterfactuals as a family of commands.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::json;
use xai_files::{Failure, InFiles};
use xai_metrics::common::Input;
use xai_metrics::common::describe::{InputSpec, MetricEntry, Setting};
use xai_metrics::counterfactual::input;
use xai_metrics::counterfactual::registry::{self, Entry, METRICS};

use crate::Context;
use crate::counterfactual::data::{Study, StudyOptions};
use crate::metric_commands::{Family, MetricCommand, RegisteredMetric, Run};
use crate::output::{rows, text};

/// The family `xai counterfactual`.
#[derive(Debug)]
pub(crate) struct CounterfactualMetrics;

impl RegisteredMetric for Entry {
    fn entry(&self) -> MetricEntry {
        self.description()
    }
}

impl Family for CounterfactualMetrics {
    const COMMAND: &'static str = "counterfactual";
    const INPUTS: &'static [InputSpec] = input::INPUTS;
    const REQUIRED: &'static [Input] = &[input::QUERIES, input::COUNTERFACTUALS];

    type Entry = Entry;
    type Options = StudyOptions;

    fn metrics() -> &'static [Entry] {
        METRICS
    }

    fn group(entry: &Entry) -> &'static str {
        let needs = |input| entry.needs(input);
        if needs(input::TRAIN) {
            "Plausibility"
        } else if needs(input::SCHEMA) || needs(input::CONSTRAINTS) {
            "Actionability"
        } else if needs(input::OTHERS)
            || needs(input::MODEL_PREDICTIONS)
            || needs(input::NOISY_PREDICTIONS)
        {
            "Robustness and agreement"
        } else if needs(input::MODEL) || needs(input::RECONSTRUCTION_TARGET) {
            "Models and autoencoders"
        } else if needs(input::PREDICTED) || needs(input::P_TARGET) {
            "Validity"
        } else {
            "Coverage, distance and diversity"
        }
    }

    fn may_take(_: &Entry, input: Input) -> bool {
        matches!(
            input,
            input::QUERIES
                | input::QUERY
                | input::TRAIN
                | input::TRAIN_LABELS
                | input::CLASS
                | input::TARGET
                | input::PREDICTED
                | input::VALID
                | input::ROW_CLASS
                | input::OTHER_QUERY
                | input::P_TARGET_QUERY
                | input::INPUT_DISTANCE
                | input::MODEL
        )
    }

    fn alternatives(_: &Entry, spec: &InputSpec) -> Vec<&'static str> {
        match spec.input {
            input::QUERIES
            | input::COUNTERFACTUALS
            | input::TRAIN
            | input::MODEL
            | input::OTHERS
            | input::NOISY_PREDICTIONS
            | input::RECONSTRUCTION_TARGET
            | input::RECONSTRUCTION_ORIGIN
            | input::RECONSTRUCTION_ALL => Vec::new(),
            // Columns of tables, predictions of the model, or options replace the files.
            _ => vec!["counterfactuals"],
        }
    }

    fn add_options(_: &'static Entry, command: Command) -> Command {
        StudyOptions::augment_args(command)
    }

    fn options(_: &Entry, matches: &ArgMatches) -> Result<StudyOptions, clap::Error> {
        StudyOptions::from_arg_matches(matches)
    }

    fn out_help(_: &Entry) -> Option<&'static str> {
        Some("Write a row per query: sample, score")
    }
}

impl Run for MetricCommand<CounterfactualMetrics> {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading counterfactuals");
        let study = Study::read(&self.options, &self.files, [&self.files])?;
        let method = study.method(&self.files)?;
        let metric = Setting {
            name: self.entry.info.name.to_owned(),
            params: self.params.clone(),
        };
        let params = self.entry.params();
        let names = params.iter().map(|param| param.name);
        let places = study.places(&self.files).named_options(names);
        let data = study.data(&method).in_files(&places)?;
        let values = registry::evaluate(&metric, &data).in_files(&places)?;
        drop(data);
        drop(working);
        let per_query = values.per_query.iter().enumerate();
        let lines = per_query.map(|(query, value)| [query.to_string(), text::cell(*value)]);
        rows::write(self.out.as_deref(), ["sample", "score"], lines)?;
        let mut result =
            json!({ "metric": self.entry.key(), "direction": self.entry.info.direction });
        if let (Some(result), Ok(serde_json::Value::Object(fields))) =
            (result.as_object_mut(), serde_json::to_value(&values))
        {
            result.extend(fields);
        }
        context.present(&result, || {
            let name = text::with_arrow(&self.entry.key(), self.entry.info.direction);
            let undefined = match values.n_undefined {
                0 => String::new(),
                n => format!(", {n} of {} queries undefined", values.per_query.len()),
            };
            let pooled = match values.pooled {
                None => String::new(),
                pooled => format!(" (over rows: {})", text::decimals(pooled)),
            };
            format!(
                "{name}: {}{pooled}{undefined}",
                text::decimals(values.value)
            )
        })
    }
}
