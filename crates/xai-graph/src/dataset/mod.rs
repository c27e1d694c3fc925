//! Many explanations: one graph's over its sizes, and averages over the graphs of a data set.
//!
//! Averages go over the [scores](xai_core::describe::Scores) of a result.

mod over_graphs;
pub(crate) mod sweep;

pub use over_graphs::{
    DatasetScores, MacroAverage, MacroAverages, MicroInterval, OverGraphs, micro_intervals,
};
pub use sweep::{Sweep, SweepCurve, SweepPoint};
