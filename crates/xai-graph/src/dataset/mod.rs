//! Several explanations: one graph at several explanation sizes, and averages over the graphs of a data set.
//!
//! Averages are computed for the [scores](xai_core::describe::Scores) of a result.

pub(crate) mod over_graphs;
pub(crate) mod sweep;

pub use over_graphs::{DatasetScores, MacroAverage, MacroAverages, MicroInterval, micro_intervals};
pub use sweep::{SweepCurve, SweepPoint};
