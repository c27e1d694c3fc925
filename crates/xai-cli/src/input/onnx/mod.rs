//! Models in ONNX files, run by a pure-Rust engine.

mod contents;
mod graph;
pub(crate) mod model;
mod panics;
mod rows;
pub(crate) mod threads;
pub(crate) mod watched;
