//! Inputs near a sample, and the response of model and explainer to them.

pub(crate) mod neighbor_changes;
pub(crate) mod neighbors;
