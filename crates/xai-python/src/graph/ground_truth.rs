//! Masks against their truth.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use xai_core::describe::Scores;
use xai_graph::{GroundTruth, GroundTruthMetric};

use crate::array::{Reals, one_axis, same_precision, two_axes};
use crate::described::Given;
use crate::error::OrRaise;
use crate::stored::to_python;
use crate::work;

/// Calls a kernel with scores and truth in their own precision.
macro_rules! evaluated {
    ($py:expr, $n_jobs:expr, $predicted:expr, $target:expr, |$p:ident, $t:ident| $body:expr) => {
        crate::array::same_precision!(($predicted, $target), |$p, $t| {
            let $p = crate::array::one_axis("predicted", $p)?;
            let $t = crate::array::one_axis("target", $t)?;
            crate::work::run_sized($py, $n_jobs, $p.len(), || $body)?.or_raise($py)?
        })
    };
}
pub(super) use evaluated;

#[pyfunction]
#[pyo3(signature = (predicted, target, choices, n_jobs=None))]
pub(super) fn graph_ground_truth<'py>(
    py: Python<'py>,
    predicted: Reals<'py>,
    target: Reals<'py>,
    choices: Given,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let metric: GroundTruthMetric = choices.build(py)?;
    let scores = evaluated!(py, n_jobs, predicted, target, |predicted, target| {
        metric.evaluate(predicted, target)
    });
    with_scores(py, &scores)
}

/// The fields of a result and all its scores, also those that are read from other fields.
fn with_scores<'py>(py: Python<'py>, result: &GroundTruth) -> PyResult<Bound<'py, PyAny>> {
    let fields = to_python(py, result)?;
    for (name, value) in result.values() {
        fields.set_item(name, value)?;
    }
    Ok(fields)
}

/// The truth that a mask fits best, of the rows of `truths`.
#[pyfunction]
#[pyo3(signature = (predicted, truths, choices, n_jobs=None))]
pub(super) fn graph_best_of_truths<'py>(
    py: Python<'py>,
    predicted: Reals<'py>,
    truths: Reals<'py>,
    choices: Given,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let metric: GroundTruthMetric = choices.build(py)?;
    let best = same_precision!((predicted, truths), |predicted, truths| {
        let predicted = one_axis("predicted", predicted)?;
        let truths = two_axes("truths", truths)?;
        let best = || metric.best_truth(predicted, truths);
        work::run_sized(py, n_jobs, truths.len(), best)?.or_raise(py)?
    });
    let scores = with_scores(py, &best.scores)?;
    let best = to_python(py, &best)?;
    best.set_item("scores", scores)?;
    Ok(best)
}

/// Arrays of whether each element is predicted, and of whether it is true.
type Elements<'py> = (Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<bool>>);

#[pyfunction]
#[pyo3(signature = (predicted, target, choices, n_jobs=None))]
pub(super) fn graph_per_element<'py>(
    py: Python<'py>,
    predicted: Reals<'py>,
    target: Reals<'py>,
    choices: Given,
    n_jobs: Option<i64>,
) -> PyResult<Elements<'py>> {
    let metric: GroundTruthMetric = choices.build(py)?;
    let elements = evaluated!(py, n_jobs, predicted, target, |predicted, target| {
        metric.per_element(predicted, target)
    });
    let predicted: Vec<bool> = elements
        .iter()
        .map(|element| element.is_predicted)
        .collect();
    let truth: Vec<bool> = elements.iter().map(|element| element.is_true).collect();
    Ok((predicted.into_pyarray(py), truth.into_pyarray(py)))
}
