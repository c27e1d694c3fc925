//! Distances between rows.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xai_core::distance::{Distance, DistanceFunction};
use xai_core::input::ROWS;
use xai_core::number::check_finite;
use xai_core::tensor::Rows;
use xai_core::{Error, parallel};

use crate::array::contiguous;
use crate::casebased::choices::mahalanobis;
use crate::error::OrRaise;
use crate::work::run;

/// Pairs whose distances are computed at a time.
const BLOCK: usize = 1024;

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
    if queries.ncols() != rows.ncols() {
        let error = Error::shape(
            ROWS,
            &[rows.nrows(), queries.ncols()],
            &[rows.nrows(), rows.ncols()],
        );
        return Err(error).or_raise(py);
    }
    let found = run(py, n_jobs, || -> Result<Array2<f64>, Error> {
        for side in [queries, rows] {
            check_finite(ROWS, side)?;
            by.check_rows(ROWS, side)?;
        }
        let (from, to) = (Rows::new(queries), Rows::new(rows));
        let (m, n) = (from.n_rows(), to.n_rows());
        let mut values = vec![0.0; m * n];
        parallel::for_each_chunk(&mut values, BLOCK, |block, distances| {
            for (i, distance) in distances.iter_mut().enumerate() {
                let place = block * BLOCK + i;
                *distance = by.distance(from.row(place / n), to.row(place % n));
            }
        });
        let found = Array2::from_shape_vec((m, n), values).expect("one distance per pair");
        Ok(found)
    })?;
    Ok(found.or_raise(py)?.into_pyarray(py))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module, casebased_euclidean, casebased_distances)
}
