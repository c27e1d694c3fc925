//! Models in ONNX files.

mod batches;
mod contents;
pub mod engine;
pub mod explainer;
mod graphs;
pub mod model;
mod rows;
pub mod threads;
pub mod watched;

pub use contents::images::ImageLayout;
