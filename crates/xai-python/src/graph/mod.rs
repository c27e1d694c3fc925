//! The functions and classes of `xai_metrics.graph`.

mod answers;
mod curves;
mod fidelity;
mod ground_truth;
mod mask;
mod model;
mod registry;
mod state;
mod sweep;
mod unfaithfulness;

use pyo3::prelude::*;
use xai_graph::{GroundTruthMetric, UnfaithfulnessMetric};

use crate::described::{Operation, params_of};

/// Functions of Python whose parameters the library describes.
pub(crate) const OPERATIONS: &[Operation] = &[
    ("graph.ground_truth", params_of::<GroundTruthMetric>),
    (
        "graph.unfaithfulness",
        params_of::<UnfaithfulnessMetric<'static>>,
    ),
    ("graph.sweep", params_of::<model::SweepChoices>),
    ("graph.robust_fidelity", params_of::<model::RobustChoices>),
];

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<state::GraphState>()?;
    module.add_function(wrap_pyfunction!(state::graph_micro_intervals, module)?)?;
    module.add_function(wrap_pyfunction!(fidelity::graph_fidelity, module)?)?;
    module.add_function(wrap_pyfunction!(
        fidelity::graph_fidelity_by_probability,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(curves::graph_characterization, module)?)?;
    module.add_function(wrap_pyfunction!(curves::graph_fidelity_curve_auc, module)?)?;
    module.add_function(wrap_pyfunction!(
        unfaithfulness::graph_unfaithfulness,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(
        unfaithfulness::graph_unfaithfulness_rows,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(unfaithfulness::graph_kl, module)?)?;
    module.add_function(wrap_pyfunction!(ground_truth::graph_ground_truth, module)?)?;
    module.add_function(wrap_pyfunction!(
        ground_truth::graph_best_of_truths,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(ground_truth::graph_per_element, module)?)?;
    module.add_function(wrap_pyfunction!(curves::graph_roc_and_pr, module)?)?;
    module.add_function(wrap_pyfunction!(mask::graph_mask_properties, module)?)?;
    module.add_function(wrap_pyfunction!(mask::graph_sparsify, module)?)?;
    module.add_function(wrap_pyfunction!(mask::graph_top_k_features, module)?)?;
    module.add_function(wrap_pyfunction!(mask::graph_top_k_feature_mask, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::graph_sweep, module)?)?;
    module.add_function(wrap_pyfunction!(model::graph_sweep_model, module)?)?;
    module.add_function(wrap_pyfunction!(model::graph_robust_fidelity, module)?)?;
    module.add_function(wrap_pyfunction!(model::graph_explained_outputs, module)?)?;
    module.add_function(wrap_pyfunction!(registry::graph_metrics, module)?)
}
