//! Masks by themselves.

use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xai_graph::mask::{
    MaskMetric, Sparsity, sparsify, sparsify_undirected, top_k_feature_mask, top_k_features,
};

use crate::array::{Reals, for_precision, one_axis, two_axes};
use crate::error::OrRaise;
use crate::stored::to_python;
use crate::work;

#[pyfunction]
#[pyo3(signature = (mask, threshold, edge_index=None, n_nodes=0, n_jobs=None))]
pub(super) fn graph_mask_properties<'py>(
    py: Python<'py>,
    mask: Reals<'py>,
    threshold: f64,
    edge_index: Option<PyReadonlyArray2<'py, i64>>,
    n_nodes: usize,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let metric = MaskMetric::new().threshold(threshold);
    let size = mask.size().max(n_nodes);
    let properties = for_precision!(mask, |view| {
        let mask = one_axis("mask", view)?;
        match &edge_index {
            None => work::run_sized(py, n_jobs, size, || metric.evaluate(mask))?,
            Some(edges) => {
                let edges = edges.as_array();
                let properties = || metric.evaluate_edges(mask, edges, n_nodes);
                work::run_sized(py, n_jobs, size, properties)?
            }
        }
    });
    to_python(py, &properties.or_raise(py)?)
}

/// Parses how much of a mask to keep: a kind and its number.
pub(super) fn sparsity(kind: &str, level: f64) -> PyResult<Sparsity> {
    match kind {
        "top_k" if level >= 0.0 && level.fract() == 0.0 => Ok(Sparsity::TopK(level as usize)),
        "top_k" => Err(PyValueError::new_err(format!(
            "top_k: expected a number of elements, got {level}"
        ))),
        "fraction" => Ok(Sparsity::Fraction(level)),
        "threshold" => Ok(Sparsity::Threshold(level)),
        other => Err(PyValueError::new_err(format!(
            "kind: expected \"top_k\", \"fraction\" or \"threshold\", got {other:?}"
        ))),
    }
}

/// A hard mask; both directions of an edge together where edges are given.
#[pyfunction]
#[pyo3(signature = (mask, kind, level, edge_index=None, n_jobs=None))]
pub(super) fn graph_sparsify<'py>(
    py: Python<'py>,
    mask: Reals<'py>,
    kind: &str,
    level: f64,
    edge_index: Option<PyReadonlyArray2<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let (sparsity, size) = (sparsity(kind, level)?, mask.size());
    for_precision!(mask, |view| {
        let mask = one_axis("mask", view)?;
        let hard = match &edge_index {
            None => work::run_sized(py, n_jobs, size, || sparsify(mask, sparsity))?,
            Some(edges) => {
                let edges = edges.as_array();
                let hard = || sparsify_undirected(mask, edges, sparsity);
                work::run_sized(py, n_jobs, size, hard)?
            }
        };
        Ok(hard.or_raise(py)?.into_pyarray(py).into_any())
    })
}

/// The features with the largest column sums, and how many tie at rank `k`.
#[pyfunction]
pub(super) fn graph_top_k_features(
    py: Python<'_>,
    node_mask: Reals<'_>,
    k: usize,
) -> PyResult<(Vec<usize>, usize)> {
    for_precision!(node_mask, |view| {
        let top = top_k_features(two_axes("node_mask", view)?, k).or_raise(py)?;
        Ok((top.features, top.ties_at_k))
    })
}

/// The mask that keeps the features with the largest column sums.
#[pyfunction]
pub(super) fn graph_top_k_feature_mask<'py>(
    py: Python<'py>,
    node_mask: Reals<'py>,
    k: usize,
) -> PyResult<Bound<'py, PyAny>> {
    for_precision!(node_mask, |view| {
        let mask = top_k_feature_mask(two_axes("node_mask", view)?, k).or_raise(py)?;
        Ok(mask.into_pyarray(py).into_any())
    })
}
