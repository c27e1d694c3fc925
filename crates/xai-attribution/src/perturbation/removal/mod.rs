//! Removal of parts of an input: order, replacement, and the response of the model.

pub(crate) mod removal_curve;
pub(crate) mod removal_order;
pub(crate) mod removed;
pub(crate) mod single_removal;
pub(crate) mod steps;
pub(crate) mod top_removal;
