//! Masks against their truth.

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xai_graph::GroundTruthMetric;
use xai_graph::ground_truth::{Selection, ZeroDivision};

use crate::array::{Reals, one_axis, same_precision, two_axes};
use crate::error::OrRaise;
use crate::stored::to_python;
use crate::work;

/// Threshold, selection, `k` of a top-k selection, value of undefined statistics, and whether scores
/// are logits.
#[derive(FromPyObject)]
pub(super) struct Choices(f64, String, usize, f64, bool);

impl Choices {
    pub(super) fn metric(&self) -> xai_core::Result<GroundTruthMetric> {
        let Self(threshold, selection, k, zero_division, logits) = self;
        Ok(GroundTruthMetric::new()
            .threshold(*threshold)
            .selection(match selection.as_str() {
                "top_k" => Selection::TopK(*k),
                "truth_size" => Selection::TruthSize,
                _ => Selection::AboveThreshold,
            })
            .zero_division(match *zero_division {
                value if value.is_nan() => ZeroDivision::Undefined,
                value if value > 0.5 => ZeroDivision::One,
                _ => ZeroDivision::Zero,
            })
            .logits(*logits))
    }

    pub(super) fn check(&self) -> PyResult<()> {
        let known = ["threshold", "top_k", "truth_size"];
        if !known.contains(&self.1.as_str()) {
            return Err(PyValueError::new_err(format!(
                "selection: expected one of {known:?}, got {:?}",
                self.1
            )));
        }
        if !(self.3.is_nan() || self.3 == 0.0 || self.3 == 1.0) {
            return Err(PyValueError::new_err(format!(
                "zero_division: expected 0, 1 or nan, got {}",
                self.3
            )));
        }
        Ok(())
    }
}

/// What a kernel makes of scores and a truth of one precision.
macro_rules! evaluated {
    ($py:expr, $n_jobs:expr, $predicted:expr, $target:expr, |$p:ident, $t:ident| $body:expr) => {
        crate::array::same_precision!(($predicted, $target), |$p, $t| {
            let $p = crate::array::one_axis("predicted", $p)?;
            let $t = crate::array::one_axis("target", $t)?;
            crate::work::run($py, $n_jobs, || $body)?.or_raise($py)?
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
    choices: Choices,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    choices.check()?;
    let scores = evaluated!(py, n_jobs, predicted, target, |predicted, target| {
        choices.metric()?.evaluate(predicted, target)
    });
    to_python(py, &scores)
}

/// The truth that a mask fits best, of the rows of `truths`.
#[pyfunction]
#[pyo3(signature = (predicted, truths, choices, n_jobs=None))]
pub(super) fn graph_best_of_truths<'py>(
    py: Python<'py>,
    predicted: Reals<'py>,
    truths: Reals<'py>,
    choices: Choices,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    choices.check()?;
    let best = same_precision!((predicted, truths), |predicted, truths| {
        let predicted = one_axis("predicted", predicted)?;
        let truths = two_axes("truths", truths)?;
        let best = || choices.metric()?.best_of(predicted, truths);
        work::run(py, n_jobs, best)?.or_raise(py)?
    });
    to_python(py, &best)
}

/// Arrays of whether each element is predicted, and of whether it is true.
type Elements<'py> = (Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<bool>>);

#[pyfunction]
#[pyo3(signature = (predicted, target, choices, n_jobs=None))]
pub(super) fn graph_per_element<'py>(
    py: Python<'py>,
    predicted: Reals<'py>,
    target: Reals<'py>,
    choices: Choices,
    n_jobs: Option<i64>,
) -> PyResult<Elements<'py>> {
    choices.check()?;
    let elements = evaluated!(py, n_jobs, predicted, target, |predicted, target| {
        choices.metric()?.per_element(predicted, target)
    });
    let predicted: Vec<bool> = elements
        .iter()
        .map(|element| element.is_predicted)
        .collect();
    let truth: Vec<bool> = elements.iter().map(|element| element.is_true).collect();
    Ok((predicted.into_pyarray(py), truth.into_pyarray(py)))
}
