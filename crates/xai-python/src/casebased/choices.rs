//! Options of an explainer, as Python passes them.

use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pythonize::depythonize;
use serde::Deserialize;
use xai_casebased::training::MetadataColumn;
use xai_casebased::{CaseExplainerBuilder, Distance, Kernel};
use xai_core::distance::Mahalanobis;

use crate::casebased::given::Use;
use crate::described::Given;
use crate::error::OrRaise;
use crate::stored::to_python;

/// Options in addition to the described parameters: names, columns, class weights.
#[derive(Deserialize)]
pub(super) struct Choices {
    /// A weighting with settings, which cannot be given as a word.
    kernel: Option<Kernel>,
    class_weights: Vec<(i64, f64)>,
    class_names: Vec<(i64, String)>,
    feature_names: Vec<String>,
    metadata: Vec<(String, MetadataColumn)>,
    redact: Vec<String>,
    similarity: Option<Use>,
}

/// Converts a Python object to a Rust value. `name` is its name in errors.
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
        given: Given,
        covariance: Option<&PyReadonlyArray2<'_, f64>>,
    ) -> PyResult<CaseExplainerBuilder> {
        let mut builder: CaseExplainerBuilder = given.build(py)?;
        builder = builder.feature_names(self.feature_names);
        if let Some(covariance) = covariance {
            builder = builder.distance(mahalanobis(py, covariance)?);
        }
        if let Some(kernel) = self.kernel {
            builder = builder.weighting(kernel);
        }
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
        if let Some(similarity) = self.similarity {
            builder = builder.similarity(similarity.similarity());
        }
        Ok(builder)
    }
}

/// The Mahalanobis distance for a covariance matrix.
pub(super) fn mahalanobis(
    py: Python<'_>,
    covariance: &PyReadonlyArray2<'_, f64>,
) -> PyResult<Distance> {
    let distance = Mahalanobis::from_covariance(covariance.as_array()).or_raise(py)?;
    Ok(Distance::Mahalanobis(distance))
}

/// The weightings that have settings, with example values.
#[pyfunction]
pub(super) fn casebased_kernels(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let kernels = [
        Kernel::InversePower {
            exponent: 1.0,
            offset: 1.0,
        },
        Kernel::Gaussian { bandwidth: 1.0 },
        Kernel::Exponential { bandwidth: 1.0 },
    ];
    to_python(py, &kernels)
}
