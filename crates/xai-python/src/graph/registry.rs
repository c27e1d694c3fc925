//! What the metrics say of themselves.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_graph::registry::metrics;

#[pyfunction]
pub(super) fn graph_metrics(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    metrics()
        .map(|info| crate::stored::metric_info(py, info))
        .collect()
}
