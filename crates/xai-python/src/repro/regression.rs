//! Runs that predict numbers.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use xai_repro::RegressionReproducibility;
use xai_repro::metrics::REGRESSION_METRICS;

use crate::array::{Reals, for_precision, one_axis, two_axes};
use crate::error::OrRaise;
use crate::repro::pairwise::Values;
use crate::stored::or_nan;
use crate::work;

/// The value of each metric of the registry on each pair, and each run's mean absolute error.
#[pyfunction]
#[pyo3(signature = (predictions, targets, n_jobs=None))]
pub(super) fn repro_regression<'py>(
    py: Python<'py>,
    predictions: Reals<'py>,
    targets: Reals<'py>,
    n_jobs: Option<i64>,
) -> PyResult<(Values<'py>, Bound<'py, PyArray1<f64>>)> {
    let runs = for_precision!(predictions, |predictions| {
        let predictions = two_axes("predictions", predictions)?;
        for_precision!(targets, |targets| {
            let targets = one_axis("targets", targets)?;
            let evaluate = || RegressionReproducibility::new(predictions, targets);
            let size = predictions.nrows() * predictions.len();
            work::run_sized(py, n_jobs, size, evaluate)?.or_raise(py)?
        })
    });
    let values = REGRESSION_METRICS
        .iter()
        .map(|&metric| or_nan(runs.pairs(metric)).into_pyarray(py));
    Ok((values.collect(), runs.mean_absolute_error.into_pyarray(py)))
}
