//! Models in ONNX files.

mod batches;
mod contents;
pub(crate) mod engine;
pub(crate) mod explainer;
mod graph;
pub(crate) mod model;
mod rows;
pub(crate) mod threads;
pub(crate) mod watched;
