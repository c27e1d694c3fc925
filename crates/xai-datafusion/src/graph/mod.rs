//! Graphs: predictions and outputs on the whole graph and on parts of it, and masks beside the truth.

pub(crate) mod auroc;
pub(crate) mod binned_auroc;
pub(crate) mod fidelity;
pub(crate) mod ground_truth;
mod sorted_runs;
pub(crate) mod unfaithfulness;
