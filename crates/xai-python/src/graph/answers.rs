//! Outputs of a model: a class per sample, or a row of scores.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xai_core::Input;
use xai_core::describe::parse;
use xai_graph::{FidelityMetric, Predictions, ReturnType};

use crate::array::{Reals, for_precision, one_axis, two_axes};
use crate::error::OrRaise;
use crate::labels::{Labels, for_labels};

/// Labels of one axis, or outputs of two.
pub(super) enum Answers<'py> {
    Labels(Labels<'py>),
    Outputs(Reals<'py>),
}

impl<'py> FromPyObject<'_, 'py> for Answers<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract() {
            Ok(rows) => Ok(Self::Outputs(rows)),
            Err(_) => object.extract().map(Self::Labels),
        }
    }
}

impl Answers<'_> {
    /// Returns the number of elements.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Labels(labels) => for_labels!(*labels, |view| view.len()),
            Self::Outputs(rows) => rows.size(),
        }
    }

    pub(super) fn view(&self, name: &str) -> PyResult<Box<dyn Predictions + '_>> {
        Ok(match self {
            Self::Labels(labels) => {
                for_labels!(*labels, |view| Box::new(one_axis(name, view)?))
            }
            Self::Outputs(rows) => {
                for_precision!(*rows, |view| Box::new(two_axes(name, view)?))
            }
        })
    }
}

/// The target of the phenomenon, where there is one.
pub(super) fn target_of<'a>(
    target: Option<&'a Answers<'_>>,
) -> PyResult<Option<Box<dyn Predictions + 'a>>> {
    target.map(|target| target.view("target")).transpose()
}

/// Positions of samples, counted from the end where they are negative and the number is known.
pub(super) fn positions(
    index: Option<PyReadonlyArray1<'_, i64>>,
    n_samples: Option<usize>,
) -> PyResult<Option<Vec<usize>>> {
    let Some(index) = index else { return Ok(None) };
    let position = |(i, &at): (usize, &i64)| {
        let from_start = match n_samples {
            Some(n) if at < 0 => n as i64 + at,
            _ => at,
        };
        usize::try_from(from_start).map_err(|_| {
            let among = n_samples.map_or(String::new(), |n| format!(" among {n} samples"));
            PyValueError::new_err(format!("index[{i}]: {at} is no position{among}"))
        })
    };
    let positions = index
        .as_array()
        .iter()
        .enumerate()
        .map(position)
        .collect::<PyResult<_>>();
    positions.map(Some)
}

/// Returns the outputs to compare, for some of the samples, with the target of the phenomenon if there is one.
pub(super) fn compared<'a>(
    target: Option<&'a dyn Predictions>,
    index: Option<&'a [usize]>,
) -> FidelityMetric<'a> {
    let metric = match target {
        Some(target) => FidelityMetric::phenomenon(target),
        None => FidelityMetric::model(),
    };
    match index {
        Some(index) => metric.index(index),
        None => metric,
    }
}

/// Parses the kind of outputs, in PyTorch Geometric's words or ours.
pub(super) fn return_type(py: Python<'_>, word: &str) -> PyResult<ReturnType> {
    parse(Input::new("return_type"), word).or_raise(py)
}
