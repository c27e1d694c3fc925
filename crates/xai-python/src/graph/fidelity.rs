//! Fidelity of predictions, and of probabilities.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use xai_graph::fidelity::FidelityAccumulator;
use xai_graph::{Accumulator, Predictions};

use crate::array::{Reals, two_axes};
use crate::error::OrRaise;
use crate::graph::answers::{Answers, compared, positions, return_type};
use crate::stored::to_python;
use crate::work;

/// Fidelity by predicted classes.
#[pyfunction]
#[pyo3(signature = (full, kept, complement, target=None, index=None, n_jobs=None))]
pub(super) fn graph_fidelity<'py>(
    py: Python<'py>,
    full: Answers<'py>,
    kept: Answers<'py>,
    complement: Answers<'py>,
    target: Option<Answers<'py>>,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut state = FidelityAccumulator::new();
    update(
        py,
        &mut state,
        [&full, &kept, &complement],
        target.as_ref(),
        index,
        n_jobs,
    )?;
    to_python(py, &state.finish().or_raise(py)?)
}

/// Folds in the predictions on the whole graph, on what is kept, and on the complement.
pub(super) fn update<'py>(
    py: Python<'py>,
    state: &mut FidelityAccumulator,
    answers: [&Answers<'py>; 3],
    target: Option<&Answers<'py>>,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<()> {
    let [full, kept, complement] = answers;
    let (full, kept) = (full.view("full")?, kept.view("kept")?);
    let complement = complement.view("complement")?;
    let target = target.map(|target| target.view("target")).transpose()?;
    let index = positions(index, Some(full.n_samples()))?;
    let metric = compared(target.as_deref(), index.as_deref());
    let update = || state.update(metric.batch(&*full, &*kept, &*complement));
    work::run(py, n_jobs, update)?.or_raise(py)
}

/// Fidelity by the probability of one class; all outputs of one precision.
#[pyfunction]
#[pyo3(signature = (full, kept, complement, returns, target=None, index=None, n_jobs=None))]
#[allow(clippy::too_many_arguments)] // those of the function that users call
pub(super) fn graph_fidelity_by_probability<'py>(
    py: Python<'py>,
    full: Reals<'py>,
    kept: Reals<'py>,
    complement: Reals<'py>,
    returns: &str,
    target: Option<Answers<'py>>,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut state = FidelityAccumulator::new();
    let outputs = [&full, &kept, &complement];
    update_probabilities(
        py,
        &mut state,
        outputs,
        returns,
        target.as_ref(),
        index,
        n_jobs,
    )?;
    to_python(py, &state.finish().or_raise(py)?)
}

/// Folds in outputs; those that are not of the first one's precision are an error.
pub(super) fn update_probabilities<'py>(
    py: Python<'py>,
    state: &mut FidelityAccumulator,
    outputs: [&Reals<'py>; 3],
    returns: &str,
    target: Option<&Answers<'py>>,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<()> {
    let returns = return_type(returns)?;
    let target = target.map(|target| target.view("target")).transpose()?;
    let index = positions(index, outputs[0].shape().first().copied())?;
    let target: Option<&dyn Predictions> = target.as_deref();
    let metric = compared(target, index.as_deref());
    macro_rules! update {
        ($full:expr, $kept:expr, $complement:expr) => {{
            let full = two_axes("full", $full.as_array())?;
            let kept = two_axes("kept", $kept.as_array())?;
            let complement = two_axes("complement", $complement.as_array())?;
            let batch = metric.probability_batch(full, kept, complement, returns);
            work::run(py, n_jobs, || state.update_probabilities(batch))?.or_raise(py)
        }};
    }
    match outputs {
        [
            Reals::Single(full),
            Reals::Single(kept),
            Reals::Single(rest),
        ] => update!(full, kept, rest),
        [
            Reals::Double(full),
            Reals::Double(kept),
            Reals::Double(rest),
        ] => update!(full, kept, rest),
        _ => Err(one_precision()),
    }
}

/// For arrays that Python should have brought to one type.
pub(super) fn one_precision() -> PyErr {
    pyo3::exceptions::PyTypeError::new_err("arrays of different precision")
}
