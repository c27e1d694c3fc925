//! Metrics of a pair of runs.
//!
//! A [`PairMetric`] is a description and a formula over the counts of a pair. To add one to this crate, define it in a
//! file of `formulas/` and list it in `formulas/mod.rs`.

pub(crate) mod count_logs;
pub(crate) mod definition;
pub(crate) mod formulas;

pub use definition::{
    Cell, ClassTable, EqualPredictions, ErrorTable, PairDefinition, PairFormula, PairMetric,
};
