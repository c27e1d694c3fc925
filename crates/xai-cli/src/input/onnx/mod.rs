//! Models in ONNX files.

mod contents;
pub(crate) mod engine;
mod graph;
pub(crate) mod model;
mod rows;
pub(crate) mod threads;
pub(crate) mod watched;
