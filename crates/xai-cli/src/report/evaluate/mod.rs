//! The sections of a report: each computes what its command computes, and fills the model of `report.json`.

mod against_truth;
#[cfg(feature = "onnx")]
pub(crate) mod attribution;
pub(crate) mod casebased;
#[cfg(feature = "onnx")]
mod gallery;
pub(crate) mod graph;
mod layout;
mod leaf_order;
mod neighborhood;
mod network;
pub(crate) mod repro;
pub(crate) mod simulation;
#[cfg(test)]
pub(crate) mod testing;
