//! Serialization of an evaluation table with names as keys, for JSON that other programs read.
#![cfg(feature = "serde")]

use crate::Interval;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::evaluation::{EvaluationTable, ExplainerValue, MetricResult};

impl EvaluationTable {
    /// Serializes the table with metrics and explainers as keys:
    ///
    /// `{n_samples, model_calls, batch_size, statistics, assumed: [{about, text}], warnings: [{about, text}],
    /// metrics: {METRIC: {better, undefined, pooled, explainers: {NAME: {interval: [low, high],
    /// n_undefined, per_sample, value}}, ranking: [NAME], comparisons}}}`
    ///
    /// An explainer whose interval is over [few samples](Interval::is_small_sample) also has
    /// `small_sample: true`. Only a metric with one value for all samples has `pooled: true`, and
    /// only one that is undefined for the scores has `undefined`, the reason. `interval` may be null.
    /// `batch_size` is missing if neither a model nor an explainer was called.
    pub fn by_name(&self) -> impl Serialize + '_ {
        ByName(self)
    }
}

/// Serializes pairs of names and values as an object, in their order. The closure restarts the
/// iteration, because `serialize` borrows the value.
struct Named<F>(F);

impl<'a, F, I, V> Serialize for Named<F>
where
    F: Fn() -> I,
    I: Iterator<Item = (&'a str, V)>,
    V: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((self.0)())
    }
}

/// Serializes a table as an object.
struct ByName<'a>(&'a EvaluationTable);

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("n_samples", &table.n_samples)?;
        map.serialize_entry("model_calls", &table.model_calls)?;
        if let Some(batch_size) = table.batch_size {
            map.serialize_entry("batch_size", &batch_size)?;
        }
        map.serialize_entry("statistics", &table.statistics)?;
        map.serialize_entry("assumed", &table.assumed)?;
        map.serialize_entry("warnings", &table.warnings)?;
        let metrics = || {
            let results = table.metrics.iter();
            results.map(|result| (result.metric.as_str(), MetricByName(result)))
        };
        map.serialize_entry("metrics", &Named(metrics))?;
        map.end()
    }
}

/// Serializes the result of one metric as an object.
struct MetricByName<'a>(&'a MetricResult);

impl Serialize for MetricByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let result = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("better", &result.direction)?;
        if let Some(why) = &result.undefined {
            map.serialize_entry("undefined", why)?;
        }
        if result.is_pooled {
            map.serialize_entry("pooled", &true)?;
        }
        let explainers = || {
            let values = result.values.iter();
            values.map(|value| (value.explainer.as_str(), ExplainerByName(value)))
        };
        map.serialize_entry("explainers", &Named(explainers))?;
        map.serialize_entry("ranking", &result.ranked().collect::<Vec<_>>())?;
        map.serialize_entry("comparisons", &result.comparisons)?;
        map.end()
    }
}

/// Serializes the value of one explainer as an object.
struct ExplainerByName<'a>(&'a ExplainerValue);

impl Serialize for ExplainerByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0;
        let mut map = serializer.serialize_map(None)?;
        let interval = value.interval.map(|i| [i.low, i.high]);
        map.serialize_entry("interval", &interval)?;
        if value
            .interval
            .as_ref()
            .is_some_and(Interval::is_small_sample)
        {
            map.serialize_entry("small_sample", &true)?;
        }
        map.serialize_entry("n_undefined", &value.n_undefined)?;
        map.serialize_entry("per_sample", &value.per_sample)?;
        map.serialize_entry("value", &value.value)?;
        map.end()
    }
}
