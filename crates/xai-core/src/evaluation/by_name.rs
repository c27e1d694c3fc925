//! The table as objects that names lead through: what JSON for other programs looks like.
#![cfg(feature = "serde")]

use crate::Interval;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::evaluation::{EvaluationTable, ExplainerValue, MetricResult};

impl EvaluationTable {
    /// The table with metrics and explainers as keys:
    /// `{n_samples, model_calls, statistics, assumed: [{about, text}], warnings: [{about, text}],
    /// metrics: {METRIC: {better, undefined, pooled, explainers: {NAME: {interval:
    /// [low, high], n_undefined, per_sample, value}}, ranking: [NAME], comparisons}}}`; an explainer whose
    /// interval is of [few samples](Interval::is_small_sample) has `small_sample: true` beside it, and a metric with
    /// one value for all samples `pooled: true`.
    pub fn by_name(&self) -> impl Serialize + '_ {
        ByName(self)
    }
}

/// Names and values as an object, in their order.
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

struct ByName<'a>(&'a EvaluationTable);

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("n_samples", &table.n_samples)?;
        map.serialize_entry("model_calls", &table.model_calls)?;
        map.serialize_entry("statistics", &table.statistics)?;
        map.serialize_entry("assumed", &table.assumed)?;
        map.serialize_entry("warnings", &table.warnings)?;
        let metrics = || {
            let results = table.metrics.iter();
            results.map(|result| (result.metric.as_str(), OfMetric(result)))
        };
        map.serialize_entry("metrics", &Named(metrics))?;
        map.end()
    }
}

struct OfMetric<'a>(&'a MetricResult);

impl Serialize for OfMetric<'_> {
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
            values.map(|value| (value.explainer.as_str(), OfExplainer(value)))
        };
        map.serialize_entry("explainers", &Named(explainers))?;
        map.serialize_entry("ranking", &result.ranked().collect::<Vec<_>>())?;
        map.serialize_entry("comparisons", &result.comparisons)?;
        map.end()
    }
}

struct OfExplainer<'a>(&'a ExplainerValue);

impl Serialize for OfExplainer<'_> {
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
