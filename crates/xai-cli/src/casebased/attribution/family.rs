//! The metrics of training-data attribution as a family of commands.

use std::path::Path;

use clap::ArgMatches;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use xai_files::{Failure, InFiles};
use xai_metrics::casebased::data_attribution::{self, Entry, METRICS, Outcome, evaluate_all};
use xai_metrics::casebased::input;
use xai_metrics::common::Input;
use xai_metrics::common::describe::{InputSpec, MetricEntry, Setting};

use crate::Context;
use crate::casebased::attribution::inputs::{self, places};
use crate::metric_commands::{Family, MetricCommand, RegisteredMetric, Run};
use crate::output::{intervals, rows, text};

/// The family `xai casebased attribution`.
#[derive(Debug)]
pub(crate) struct DataAttributionMetrics;

impl RegisteredMetric for Entry {
    fn entry(&self) -> MetricEntry {
        self.description()
    }
}

impl Family for DataAttributionMetrics {
    const COMMAND: &'static str = "casebased attribution";
    const INPUTS: &'static [InputSpec] = data_attribution::INPUTS;
    const REQUIRED: &'static [Input] = &[input::ATTRIBUTIONS];

    type Entry = Entry;
    type Options = ();

    fn metrics() -> &'static [Entry] {
        METRICS
    }

    fn group(entry: &Entry) -> &'static str {
        if entry.needs(input::TRAIN_LABELS) {
            "Agreement of classes"
        } else if entry.needs(input::FLAGS) {
            "Detection of flagged rows"
        } else if entry.needs(input::RELEVANT) {
            "Retrieval of relevant rows"
        } else if entry.info.needs == [input::ATTRIBUTIONS]
            || entry.needs(input::RANDOM_ATTRIBUTIONS)
        {
            "Sanity checks"
        } else {
            "Effect of training"
        }
    }

    fn may_take(entry: &Entry, input: Input) -> bool {
        entry.optional.contains(&input)
    }

    fn options(_: &Entry, _: &ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }

    fn out_help(entry: &Entry) -> Option<&'static str> {
        // A single number has no rows.
        let has_rows = entry.info.needs != [input::ATTRIBUTIONS];
        has_rows.then_some("Write a row per test case: sample, score; of a curve per point")
    }
}

impl Run for MetricCommand<DataAttributionMetrics> {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading attributions");
        let data = inputs::read(&self.files)?;
        let metric = Setting {
            name: self.entry.info.name.to_owned(),
            params: self.params.clone(),
        };
        let params = self.entry.params();
        let names = params.iter().map(|param| param.name);
        let outcomes =
            evaluate_all(&data, &[metric]).in_files(&places(&self.files).named_options(names))?;
        drop(working);
        for outcome in &outcomes {
            write_rows(outcome, self.out.as_deref())?;
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
}

/// The JSON of a metric: its name, the headline and the other fields of its result.
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

/// Writes the values of test cases or the points of a curve.
fn write_rows(outcome: &Outcome, out: Option<&Path>) -> Result<(), Failure> {
    match outcome {
        Outcome::TestCases(values) => {
            let tests = values.per_sample.iter().enumerate();
            let rows = tests.map(|(test, value)| [test.to_string(), text::cell(*value)]);
            rows::write(out, ["sample", "score"], rows)
        }
        Outcome::Mislabeling(found) => {
            let curve = found.curve.as_deref().unwrap_or_default();
            let points = curve.iter().enumerate();
            let rows = points.map(|(n, share)| [n.to_string(), share.to_string()]);
            rows::write(out, ["inspected", "found"], rows)
        }
        Outcome::Brittleness(changes) => {
            let points = changes.ks.iter().zip(&changes.curve);
            let rows = points.map(|(k, share)| [k.to_string(), share.to_string()]);
            rows::write(out, ["k", "share"], rows)
        }
        // The others have no option for rows.
        _ => Ok(()),
    }
}
