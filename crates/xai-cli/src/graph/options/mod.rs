//! Options that several commands take.

pub(super) mod compared;
pub(super) mod divergence;
pub(crate) mod index;
#[cfg(feature = "onnx")]
pub(super) mod model_and_graph;
