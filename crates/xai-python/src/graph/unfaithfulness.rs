//! Unfaithfulness of output rows.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use xai_graph::UnfaithfulnessMetric;
use xai_graph::unfaithfulness::{kl_divergence, kl_divergence_from_logs};

use crate::array::{Reals, contiguous, same_precision, two_axes};
use crate::described::Given;
use crate::error::OrRaise;
use crate::graph::answers::positions;
use crate::stored::to_python;
use crate::work;

fn metric<'a>(
    py: Python<'_>,
    reading: Given,
    index: Option<&'a [usize]>,
) -> PyResult<UnfaithfulnessMetric<'a>> {
    let metric: UnfaithfulnessMetric<'a> = reading.build(py)?;
    Ok(match index {
        Some(index) => metric.index(index),
        None => metric,
    })
}

#[pyfunction]
#[pyo3(signature = (full, kept, reading, index=None, n_jobs=None))]
pub(super) fn graph_unfaithfulness<'py>(
    py: Python<'py>,
    full: Reals<'py>,
    kept: Reals<'py>,
    reading: Given,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let index = positions(index, full.shape().first().copied())?;
    let metric = metric(py, reading, index.as_deref())?;
    same_precision!((full, kept), |full, kept| {
        let (full, kept) = (two_axes("full", full)?, two_axes("kept", kept)?);
        let result = work::run_sized(py, n_jobs, full.len(), || metric.evaluate(full, kept))?;
        to_python(py, &result.or_raise(py)?)
    })
}

/// The unfaithfulness of each single row.
#[pyfunction]
#[pyo3(signature = (full, kept, reading, index=None, n_jobs=None))]
pub(super) fn graph_unfaithfulness_rows<'py>(
    py: Python<'py>,
    full: Reals<'py>,
    kept: Reals<'py>,
    reading: Given,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let index = positions(index, full.shape().first().copied())?;
    let metric = metric(py, reading, index.as_deref())?;
    same_precision!((full, kept), |full, kept| {
        let (full, kept) = (two_axes("full", full)?, two_axes("kept", kept)?);
        let rows = work::run_sized(py, n_jobs, full.len(), || metric.per_row(full, kept))?;
        Ok(rows.or_raise(py)?.into_pyarray(py))
    })
}

/// The Kullback-Leibler divergence KL(p‖q) of two distributions, from probabilities or their logarithms.
#[pyfunction]
pub(super) fn graph_kl(
    py: Python<'_>,
    p: PyReadonlyArray1<'_, f64>,
    q: PyReadonlyArray1<'_, f64>,
    from_logs: bool,
) -> PyResult<f64> {
    let (p, q) = (contiguous(&p), contiguous(&q));
    let divergence = if from_logs {
        kl_divergence_from_logs(&p, &q)
    } else {
        kl_divergence(&p, &q)
    };
    divergence.or_raise(py)
}
