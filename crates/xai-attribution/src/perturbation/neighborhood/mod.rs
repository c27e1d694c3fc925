//! Inputs near a sample, and what changes with them.

pub(crate) mod neighbor_changes;
pub(crate) mod neighbors;
