//! The sections of a report: what each family of metrics found, as plain values, made from the results of its library.

pub mod attribution;
pub mod casebased;
pub mod compared;
pub mod data_attribution;
pub mod gallery;
pub mod graph;
pub mod repro;
pub mod simulation;
pub mod texts;
