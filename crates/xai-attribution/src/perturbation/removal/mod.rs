//! Parts of an input that are removed: in which order, how, and what the model says.

pub(crate) mod removal_curve;
pub(crate) mod removal_order;
pub(crate) mod removed;
pub(crate) mod single_removal;
pub(crate) mod steps;
pub(crate) mod top_removal;
