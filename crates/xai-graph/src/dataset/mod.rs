//! Many explanations: one graph's over its sizes, and averages over the graphs of a data set.
//!
//! Averages go over the [scores](xai_core::describe::Scores) of a result.

mod macro_averages;
mod micro_intervals;
mod over_graphs;
pub(crate) mod sweep;
pub(crate) mod sweep_curve;

pub use macro_averages::{MacroAverage, MacroAverages};
pub use micro_intervals::{MicroInterval, micro_intervals};
pub use over_graphs::{DatasetScores, OverGraphs};
pub use sweep::Sweep;
pub use sweep_curve::{SweepCurve, SweepPoint};
