//! Accumulators of the fidelity of predictions and of probabilities.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use xai_graph::fidelity::{FidelityAccumulator, FidelityBatch};

use crate::array::{Reals, same_precision, two_axes};
use crate::error::OrRaise;
use crate::graph::answers::{Answers, compared, positions, return_type, target_of};
use crate::work;

/// Updates the state with the predictions on the whole graph, on the explanation, and on its complement.
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

/// Updates the state with outputs; an error if they have different precisions.
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
