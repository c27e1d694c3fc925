//! The choices of an explainer, as Python says them.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pythonize::depythonize;
use serde::Deserialize;
use xai_casebased::training::MetadataColumn;
use xai_casebased::{CaseExplainer, CaseExplainerBuilder, Distance, Engine, Kernel, Thresholds};
use xai_core::distance::Mahalanobis;

use crate::casebased::given::Use;
use crate::error::OrRaise;

/// Everything but the rows, the labels, the covariance and the similarity.
#[derive(Deserialize)]
pub(super) struct Choices {
    k: usize,
    distance: String,
    engine: Engine,
    scale: bool,
    kernel: Kernel,
    class_weights: Vec<(i64, f64)>,
    thresholds: (f64, f64),
    class_names: Vec<(i64, String)>,
    feature_names: Vec<String>,
    metadata: Vec<(String, MetadataColumn)>,
    redact: Vec<String>,
    aggregate_only: Option<usize>,
    similarity: Option<Use>,
}

/// Something of Python as a value of ours.
pub(super) fn read<'py, T: Deserialize<'py>>(
    name: &str,
    value: &'py Bound<'py, PyAny>,
) -> PyResult<T> {
    depythonize(value).map_err(|e| PyValueError::new_err(format!("{name}: {e}")))
}

impl Choices {
    pub(super) fn builder(
        self,
        py: Python<'_>,
        covariance: Option<&PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<CaseExplainerBuilder> {
        let (high, medium) = self.thresholds;
        let mut builder = CaseExplainer::builder()
            .k(self.k)
            .engine(self.engine)
            .scale(self.scale)
            .weighting(self.kernel)
            .thresholds(Thresholds::new(high, medium).or_raise(py)?)
            .feature_names(self.feature_names);
        builder = match (self.distance.as_str(), covariance) {
            ("mahalanobis", None) => builder.mahalanobis(),
            _ => builder.distance(distance(py, &self.distance, covariance)?),
        };
        for (label, weight) in self.class_weights {
            builder = builder.class_weight(label, weight);
        }
        for (label, name) in self.class_names {
            builder = builder.class_name(label, name);
        }
        for (name, column) in self.metadata {
            builder = builder.metadata(name, column);
        }
        for column in self.redact {
            builder = builder.redact(column);
        }
        if let Some(minimum) = self.aggregate_only {
            builder = builder.aggregate_only(minimum);
        }
        if let Some(similarity) = self.similarity {
            builder = builder.similarity(similarity.similarity());
        }
        Ok(builder)
    }
}

/// A distance by its name; that of Mahalanobis by its covariance.
pub(super) fn distance(
    py: Python<'_>,
    name: &str,
    covariance: Option<&PyReadonlyArray2<'_, f64>>,
) -> PyResult<Distance> {
    match covariance {
        Some(covariance) => {
            let distance = Mahalanobis::from_covariance(covariance.as_array()).or_raise(py)?;
            Ok(Distance::Mahalanobis(distance))
        }
        None => name.parse::<Distance>().or_raise(py),
    }
}
