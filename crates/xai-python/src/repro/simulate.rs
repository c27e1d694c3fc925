//! Class distributions, labels and predictions whose truth is known.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use xai_core::Error;
use xai_repro::simulate::{ClassSimulator, LabelSimulator, PredictionSimulator, RunErrors};

use crate::array::contiguous;
use crate::described::Given;
use crate::error::OrRaise;
use crate::work;

#[pyfunction]
pub(super) fn repro_class_distribution(
    py: Python<'_>,
    item: u64,
    given: Given,
) -> PyResult<Bound<'_, PyArray1<f64>>> {
    let probabilities = given.build::<ClassSimulator>(py)?.draw(item);
    Ok(probabilities.or_raise(py)?.into_pyarray(py))
}

#[pyfunction]
#[pyo3(signature = (probabilities, n_samples, every_class, seed, item))]
pub(super) fn repro_labels<'py>(
    py: Python<'py>,
    probabilities: PyReadonlyArray1<'py, f64>,
    n_samples: usize,
    every_class: bool,
    seed: u64,
    item: u64,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let probabilities = contiguous(&probabilities);
    let simulate = || {
        let simulator = if every_class {
            LabelSimulator::with_every_class(&probabilities, n_samples)?
        } else {
            LabelSimulator::new(&probabilities, n_samples)?
        };
        let labels = simulator.simulate(seed, item)?;
        Ok::<Vec<i64>, Error>(labels.into_iter().map(i64::from).collect())
    };
    let labels = work::run(py, Some(1), simulate)?.or_raise(py)?;
    Ok(labels.into_pyarray(py))
}

#[pyfunction]
#[pyo3(signature = (labels, n_runs, error_probabilities, seed, item, given))]
pub(super) fn repro_predictions<'py>(
    py: Python<'py>,
    labels: PyReadonlyArray1<'py, u32>,
    n_runs: usize,
    error_probabilities: PyReadonlyArray1<'py, f64>,
    seed: u64,
    item: u64,
    given: Given,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let errors: RunErrors = given.build(py)?;
    let (labels, law) = (contiguous(&labels), contiguous(&error_probabilities));
    let simulate = || {
        let simulator = PredictionSimulator::new(&law, errors)?;
        let runs = simulator.simulate(&labels, n_runs, seed, item)?;
        Ok::<_, Error>(runs.mapv(i64::from))
    };
    let runs = work::run(py, Some(1), simulate)?.or_raise(py)?;
    Ok(runs.into_pyarray(py))
}
