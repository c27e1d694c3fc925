//! The sections of a report: results of the library, and how `report.json` names them.

pub(super) mod attribution;
pub(super) mod casebased;
pub(super) mod graph;
pub(super) mod repro;
pub(super) mod simulation;
