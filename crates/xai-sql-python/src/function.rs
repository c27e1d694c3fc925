//! The functions of `xai_datafusion`, for sessions of the Python package `datafusion`.

use std::sync::Arc;

use datafusion::logical_expr::{AggregateUDF, Documentation, ScalarUDF};
use datafusion_ffi::udaf::FFI_AggregateUDF;
use datafusion_ffi::udf::FFI_ScalarUDF;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use xai_datafusion::Stages;

/// An SQL function with its documentation.
#[pyclass(frozen, module = "xai_metrics_sql")]
pub(crate) struct Function {
    of: Of,
}

enum Of {
    Aggregate(Arc<AggregateUDF>),
    Scalar(Arc<ScalarUDF>),
}

impl Function {
    fn documentation(&self) -> Option<&Documentation> {
        match &self.of {
            Of::Aggregate(of) => of.documentation(),
            Of::Scalar(of) => of.documentation(),
        }
    }

    fn said(&self, what: impl Fn(&Documentation) -> &str) -> &str {
        self.documentation().map(what).unwrap_or_default()
    }
}

#[pymethods]
impl Function {
    /// Its name in a query.
    #[getter]
    fn name(&self) -> &str {
        match &self.of {
            Of::Aggregate(of) => of.name(),
            Of::Scalar(of) => of.name(),
        }
    }

    /// Whether the function aggregates many rows.
    #[getter]
    fn is_aggregate(&self) -> bool {
        matches!(self.of, Of::Aggregate(_))
    }

    /// The call: `average_drop(base, masked[, base_score_policy])`.
    #[getter]
    fn usage(&self) -> &str {
        self.said(|said| &said.syntax_example)
    }

    /// Description of the value.
    #[getter]
    fn description(&self) -> &str {
        self.said(|said| &said.description)
    }

    /// Arguments with their descriptions.
    #[getter]
    fn arguments(&self) -> Vec<(String, String)> {
        let said = self.documentation();
        said.and_then(|said| said.arguments.clone())
            .unwrap_or_default()
    }

    /// An example query.
    #[getter]
    fn example(&self) -> Option<&str> {
        self.documentation()?.sql_example.as_deref()
    }

    fn __repr__(&self) -> &str {
        self.usage()
    }

    /// Exports an aggregate function for `datafusion.udaf`.
    fn __datafusion_aggregate_udf__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let Of::Aggregate(of) = &self.of else {
            return Err(PyTypeError::new_err("a function of one row"));
        };
        let function = FFI_AggregateUDF::from(Arc::clone(of));
        PyCapsule::new_with_value(py, function, c"datafusion_aggregate_udf")
    }

    /// Exports a function of one row for `datafusion.udf`.
    fn __datafusion_scalar_udf__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let Of::Scalar(of) = &self.of else {
            return Err(PyTypeError::new_err("an aggregate function"));
        };
        let function = FFI_ScalarUDF::from(Arc::clone(of));
        PyCapsule::new_with_value(py, function, c"datafusion_scalar_udf")
    }
}

/// All functions.
#[pyfunction]
pub(crate) fn functions() -> Vec<Function> {
    let aggregates = xai_datafusion::aggregates(Stages::OneProcess).into_iter();
    let scalars = xai_datafusion::scalars().into_iter();
    let all = aggregates.map(Of::Aggregate).chain(scalars.map(Of::Scalar));
    all.map(|of| Function { of }).collect()
}
