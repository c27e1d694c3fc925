//! Two groups of runs.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use xai_repro::GroupComparison;

use crate::array::{Reals, contiguous, for_precision, one_axis, same_precision, two_axes};
use crate::described::Given;
use crate::error::OrRaise;
use crate::labels::{Labels, for_labels, widened};
use crate::repro::packed::pair_metrics;
use crate::stored::to_python;
use crate::work;

/// Compares two groups of runs by each metric, with a permutation test. Both have labels of one type.
#[pyfunction]
#[pyo3(signature = (first, second, labels, metrics, given, n_jobs=None))]
pub(super) fn repro_compare<'py>(
    py: Python<'py>,
    first: Labels<'py>,
    second: Labels<'py>,
    labels: PyReadonlyArray1<'py, i64>,
    metrics: Vec<String>,
    given: Given,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let comparison = given
        .build::<GroupComparison>(py)?
        .metrics(&pair_metrics(py, &metrics)?);
    let labels = contiguous(&labels);
    let in_one_type = |group: &Labels<'_>| {
        for_labels!(*group, |view| {
            let view = two_axes("runs", view)?;
            Ok::<_, PyErr>(view.map(|&label| widened(label)))
        })
    };
    let (first, second) = (in_one_type(&first)?, in_one_type(&second)?);
    let compare = || comparison.compare(first.view(), second.view(), &labels);
    to_python(py, &work::run(py, n_jobs, compare)?.or_raise(py)?)
}

/// Compares two groups of runs that predict numbers by every regression metric, with a permutation test. Both groups
/// have one precision.
#[pyfunction]
#[pyo3(signature = (first, second, targets, given, n_jobs=None))]
pub(super) fn repro_compare_regression<'py>(
    py: Python<'py>,
    first: Reals<'py>,
    second: Reals<'py>,
    targets: Reals<'py>,
    given: Given,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let comparison = given.build::<GroupComparison>(py)?;
    let differences = same_precision!((first, second), |first, second| {
        let (first, second) = (two_axes("first", first)?, two_axes("second", second)?);
        for_precision!(targets, |targets| {
            let targets = one_axis("targets", targets)?;
            let compare = || comparison.compare_regression(first, second, targets);
            work::run(py, n_jobs, compare)?.or_raise(py)?
        })
    });
    to_python(py, &differences)
}
