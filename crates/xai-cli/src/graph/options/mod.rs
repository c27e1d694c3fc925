//! Options that several commands of the group have.

pub(super) mod comparison;
pub(crate) mod index;
pub(super) mod model_and_graph;
