//! Models in ONNX files, run by a pure-Rust engine.

mod engine;
pub(crate) mod graph;
pub(crate) mod rows;
pub(crate) mod watched;
