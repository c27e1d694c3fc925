//! Fidelity of predictions, and of probabilities.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use xai_graph::Accumulator;
use xai_graph::fidelity::{FidelityAccumulator, FidelityBatch};

use crate::array::{Reals, same_precision, two_axes};
use crate::error::OrRaise;
use crate::graph::answers::{Answers, compared, positions, return_type, target_of};
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
    let answers = [&full, &kept, &complement];
    update(py, answers, target.as_ref(), index, n_jobs, |batch| {
        state.update(batch)
    })?;
    to_python(py, &state.finish().or_raise(py)?)
}

/// Folds in the predictions on the whole graph, on what is kept, and on the complement.
pub(super) fn update<'py>(
    py: Python<'py>,
    answers: [&Answers<'py>; 3],
    target: Option<&Answers<'py>>,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
    fold: impl FnOnce(FidelityBatch<'_>) -> xai_core::Result<()> + Send,
) -> PyResult<()> {
    let [full, kept, complement] = answers;
    let size = full.size();
    let (full, kept) = (full.view("full")?, kept.view("kept")?);
    let complement = complement.view("complement")?;
    let target = target_of(target)?;
    let index = positions(index, Some(full.n_samples()))?;
    let metric = compared(target.as_deref(), index.as_deref());
    let batch = metric.batch(&*full, &*kept, &*complement);
    work::run_sized(py, n_jobs, size, || fold(batch))?.or_raise(py)
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
    let returns = return_type(py, returns)?;
    let target = target_of(target)?;
    let index = positions(index, outputs[0].shape().first().copied())?;
    let metric = compared(target.as_deref(), index.as_deref());
    let [full, kept, complement] = outputs;
    same_precision!((*full, *kept, *complement), |full, kept, complement| {
        let full = two_axes("full", full)?;
        let kept = two_axes("kept", kept)?;
        let complement = two_axes("complement", complement)?;
        let batch = metric.probability_batch(full, kept, complement, returns);
        let update = || state.update_probabilities(batch);
        work::run_sized(py, n_jobs, outputs[0].size(), update)?.or_raise(py)
    })
}
