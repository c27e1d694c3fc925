//! Options that several commands take.

pub(super) mod compared;
pub(crate) mod index;
pub(super) mod model_and_graph;
