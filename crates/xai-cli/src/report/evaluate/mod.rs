//! The sections of a report: each computes what its command computes, of which the library makes the section.

pub(crate) mod attribution;
pub(crate) mod casebased;
pub(crate) mod data_attribution;
pub(crate) mod graph;
pub(crate) mod repro;
pub(crate) mod simulation;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod texts;
