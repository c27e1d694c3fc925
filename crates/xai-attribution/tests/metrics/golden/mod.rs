//! Values of other packages, and of direct implementations where these differ: `golden/next_maps.json`.

mod context;
mod outputs;
mod rationales;
mod truth;

use serde_json::Value;
use xai_attribution::metric::MetricValue;

/// A case: inputs, parameters, and what is expected of them.
pub(crate) struct Case(Value);

/// The cases of a metric, at least so many.
pub(crate) fn cases(metric: &str, at_least: usize) -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("../../golden/next_maps.json")).unwrap();
    let cases = file["cases"].as_array().unwrap().iter();
    let of_metric: Vec<Case> = cases
        .filter(|case| case["metric"] == metric)
        .map(|case| Case(case.clone()))
        .collect();
    assert!(of_metric.len() >= at_least, "{metric}: {}", of_metric.len());
    of_metric
}

/// A model of the file.
pub(crate) fn model(name: &str) -> Value {
    let file: Value = serde_json::from_str(include_str!("../../golden/next_maps.json")).unwrap();
    file["models"][name].clone()
}

impl Case {
    pub(crate) fn params(&self) -> &Value {
        &self.0["params"]
    }

    pub(crate) fn input<T: serde::de::DeserializeOwned>(&self, name: &str) -> T {
        serde_json::from_value(self.0["inputs"][name].clone()).unwrap()
    }

    /// What the peer answers instead.
    pub(crate) fn of_peer(&self) -> &Value {
        &self.0["peer"]
    }

    pub(crate) fn expected(&self) -> &Value {
        &self.0["expected"]
    }

    /// Compares numbers, lists of them, and `null` with `None`.
    pub(crate) fn assert_is(&self, ours: Option<f64>, expected: &Value) {
        let tolerance = self.0["tolerance"].as_f64().unwrap();
        let near = match (ours, expected.as_f64()) {
            (Some(ours), Some(expected)) => {
                (ours - expected).abs() <= tolerance * expected.abs().max(1.0)
            }
            (None, None) => expected.is_null(),
            _ => false,
        };
        assert!(near, "{}: {ours:?} for {expected}", self.0["id"]);
    }

    /// Compares a value with one number for all samples, or with those of each.
    pub(crate) fn assert_value(&self, ours: &MetricValue) {
        let expected = self.expected();
        let Some(per_sample) = expected.get("per_sample") else {
            return self.assert_is(Some(ours.value), expected);
        };
        self.assert_is(Some(ours.value), &expected["value"]);
        let per_sample = per_sample.as_array().unwrap();
        assert_eq!(ours.per_sample.len(), per_sample.len());
        for (ours, expected) in ours.per_sample.iter().zip(per_sample) {
            self.assert_is(*ours, expected);
        }
        assert_eq!(
            Some(ours.n_undefined as u64),
            expected["n_undefined"].as_u64()
        );
    }
}
