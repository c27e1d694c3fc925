//! The JSON of `xai attribution compare`: metrics and explainers by name.

use serde::ser::{Serialize, SerializeMap, Serializer};
use xai_metrics::attribution::evaluation::{EvaluationTable, ExplainerValue, MetricResult};

/// A table as one object.
pub(super) struct ByName<'a>(pub(super) &'a EvaluationTable);

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let metrics = self.0.metrics.iter();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("n_samples", &self.0.n_samples)?;
        map.serialize_entry("model_calls", &self.0.model_calls)?;
        map.serialize_entry("statistics", &self.0.statistics)?;
        let metrics = metrics.map(|result| (result.metric.as_str(), OfMetric(result)));
        map.serialize_entry("metrics", &Named(metrics.collect()))?;
        map.end()
    }
}

/// Names and values as an object, in their order.
struct Named<'a, V>(Vec<(&'a str, V)>);

impl<V: Serialize> Serialize for Named<'_, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

struct OfMetric<'a>(&'a MetricResult);

impl Serialize for OfMetric<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.0.values.iter();
        let values = values.map(|value| (value.explainer.as_str(), OfExplainer::new(value)));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("better", &self.0.direction)?;
        map.serialize_entry("explainers", &Named(values.collect()))?;
        map.serialize_entry("ranking", &self.0.ranked().collect::<Vec<_>>())?;
        map.serialize_entry("comparisons", &self.0.comparisons)?;
        map.end()
    }
}

#[derive(serde::Serialize)]
struct OfExplainer<'a> {
    interval: Option<[f64; 2]>,
    n_undefined: usize,
    per_sample: &'a [Option<f64>],
    value: Option<f64>,
}

impl<'a> OfExplainer<'a> {
    fn new(value: &'a ExplainerValue) -> Self {
        Self {
            interval: value.interval.map(|i| [i.low, i.high]),
            n_undefined: value.n_undefined,
            per_sample: &value.per_sample,
            value: value.value,
        }
    }
}
