//! Distances between rows.

use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xai_casebased::search::distances;
use xai_core::Distance;
use xai_core::distance::DistanceFunction;

use crate::array::contiguous;
use crate::casebased::choices::mahalanobis;
use crate::error::OrRaise;
use crate::work::run;

/// The straight-line distance of two points.
#[pyfunction]
fn casebased_euclidean(
    a: PyReadonlyArray1<'_, f64>,
    b: PyReadonlyArray1<'_, f64>,
) -> PyResult<f64> {
    let (n, found) = (a.as_array().len(), b.as_array().len());
    if n != found {
        let message = format!("the points have {n} and {found} coordinates");
        return Err(PyValueError::new_err(message));
    }
    for (name, point) in [("point1", &a), ("point2", &b)] {
        if let Some(i) = point.as_array().iter().position(|x| !x.is_finite()) {
            let message = format!("{name}[{i}]: expected a finite number");
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(Distance::Euclidean.distance(&contiguous(&a), &contiguous(&b)))
}

/// The distance of every query to every row, `(queries, rows)`.
#[pyfunction]
#[pyo3(signature = (queries, rows, name, covariance, n_jobs))]
fn casebased_distances<'py>(
    py: Python<'py>,
    queries: PyReadonlyArray2<'py, f64>,
    rows: PyReadonlyArray2<'py, f64>,
    name: &str,
    covariance: Option<PyReadonlyArray2<'py, f64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let by = match &covariance {
        Some(covariance) => mahalanobis(py, covariance)?,
        None => name.parse::<Distance>().or_raise(py)?,
    };
    let (queries, rows) = (queries.as_array(), rows.as_array());
    let found = run(py, n_jobs, || distances(queries, rows, &by))?;
    Ok(found.or_raise(py)?.into_pyarray(py))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module, casebased_euclidean, casebased_distances)
}
