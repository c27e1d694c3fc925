//! The golden file.

use ndarray::{Array3, ArrayD};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
pub(crate) struct Golden {
    problems: BTreeMap<String, Problem>,
    cases: Vec<Case>,
}

/// Inputs with their targets, maps and masks.
#[derive(Deserialize)]
pub(crate) struct Problem {
    x: Array,
    pub(crate) maps: BTreeMap<String, Array>,
    #[serde(default)]
    pub(crate) mask: Option<Array>,
}

#[derive(Deserialize)]
pub(crate) struct Array {
    shape: Vec<usize>,
    data: Vec<f64>,
}

/// What a peer answered.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) metric: String,
    pub(crate) problem: String,
    #[serde(default)]
    pub(crate) map: String,
    #[serde(default)]
    pub(crate) params: Value,
    pub(crate) tolerance: f64,
    pub(crate) output: Value,
    #[serde(default)]
    pub(crate) quadrants: Value,
}

impl Golden {
    pub(crate) fn read() -> Self {
        serde_json::from_str(include_str!("../golden/quantus.json")).unwrap()
    }

    pub(crate) fn problem(&self, case: &Case) -> &Problem {
        &self.problems[&case.problem]
    }

    /// The cases of a metric, of which there are so many.
    pub(crate) fn cases(&self, metric: &str, n: usize) -> impl Iterator<Item = &Case> {
        let cases: Vec<&Case> = self.cases.iter().filter(|c| c.metric == metric).collect();
        assert_eq!(cases.len(), n, "{metric}");
        cases.into_iter()
    }
}

impl Array {
    pub(crate) fn array(&self) -> ArrayD<f64> {
        ArrayD::from_shape_vec(self.shape.clone(), self.data.clone()).unwrap()
    }
}

impl Problem {
    pub(crate) fn inputs(&self) -> ArrayD<f64> {
        self.x.array()
    }

    /// `(n, height, width)`
    pub(crate) fn masks(&self) -> Array3<bool> {
        let mask = self.mask.as_ref().unwrap();
        let [n, _, height, width] = mask.shape[..] else {
            panic!("{:?}", mask.shape)
        };
        let inside = mask.data.iter().map(|&x| x != 0.0).collect();
        Array3::from_shape_vec((n, height, width), inside).unwrap()
    }
}

impl Case {
    /// The maps that the metric saw: absolute, if the peer made them so.
    pub(crate) fn maps(&self, problem: &Problem) -> ArrayD<f64> {
        let maps = problem.maps[&self.map].array();
        match self.is("abs") {
            true => maps.mapv(f64::abs),
            false => maps,
        }
    }

    /// Whether a parameter is on.
    pub(crate) fn is(&self, param: &str) -> bool {
        self.params[param].as_bool().unwrap_or(false)
    }

    /// One value per sample; `None` for NaN.
    pub(crate) fn values(&self) -> Vec<Option<f64>> {
        let values = self.output.as_array().unwrap().iter();
        values
            .map(|value| match value {
                Value::Bool(value) => Some(f64::from(u8::from(*value))),
                value => value.as_f64(),
            })
            .collect()
    }

    /// Compares values, within the tolerance of the case.
    pub(crate) fn assert(&self, ours: &[Option<f64>]) {
        let theirs = self.values();
        let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= self.tolerance * b.abs().max(1.0),
            (a, b) => a == b,
        };
        assert_eq!(ours.len(), theirs.len());
        assert!(
            ours.iter().zip(&theirs).all(near),
            "{} {} {}: {ours:?} {theirs:?}",
            self.metric,
            self.map,
            self.params
        );
    }
}
