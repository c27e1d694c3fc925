//! Options that several commands take.

pub(super) mod compared;
pub(crate) mod index;
#[cfg(feature = "onnx")]
pub(super) mod model_and_graph;
