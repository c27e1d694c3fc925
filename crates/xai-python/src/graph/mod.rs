//! The functions and classes of `xai_metrics.graph`.

mod answers;
mod curves;
mod edits;
mod fidelity;
mod ground_truth;
mod mask;
mod model;
mod state;
mod sweep;
mod unfaithfulness;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use xai_core::describe::Operation;
use xai_core::tensor::selected_rows;
use xai_graph::input;

use crate::error::OrRaise;

/// Operations with parameters that only Python has.
pub(crate) const OPERATIONS: &[Operation] = &[
    Operation::new::<model::SweepChoices>("graph.sweep"),
    Operation::new::<model::RobustChoices>("graph.robust_fidelity"),
];

/// The rows that integers choose, as positions or as a mask.
#[pyfunction]
fn graph_chosen_rows<'py>(
    py: Python<'py>,
    index: PyReadonlyArray1<'py, i64>,
    n_rows: usize,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let rows = selected_rows(input::INDEX, &index.as_array().to_vec(), n_rows)
        .or_raise(py)?
        .into_iter()
        .map(|row| row as i64);
    Ok(PyArray1::from_iter(py, rows))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<state::GraphState>()?;
    add_functions!(
        module,
        state::graph_micro_intervals,
        curves::graph_characterization,
        edits::graph_edit_size,
        curves::graph_fidelity_curve_auc,
        unfaithfulness::graph_unfaithfulness,
        unfaithfulness::graph_unfaithfulness_rows,
        unfaithfulness::graph_kl,
        ground_truth::graph_ground_truth,
        ground_truth::graph_best_of_truths,
        ground_truth::graph_per_element,
        curves::graph_roc_and_pr,
        mask::graph_mask_properties,
        mask::graph_sparsify,
        mask::graph_top_k_features,
        mask::graph_top_k_feature_mask,
        sweep::graph_sweep,
        model::graph_sweep_model,
        model::graph_robust_fidelity,
        model::graph_explained_outputs,
        graph_chosen_rows,
    )
}
