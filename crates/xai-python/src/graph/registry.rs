//! What the metrics say of themselves.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_graph::registry::METRICS;

#[pyfunction]
pub(super) fn graph_metrics(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let described = |metric: &&dyn xai_graph::registry::AnyGraphMetric| {
        crate::stored::metric_info(py, metric.info())
    };
    METRICS.iter().map(described).collect()
}
