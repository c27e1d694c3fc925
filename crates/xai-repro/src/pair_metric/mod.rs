//! The metrics of a pair of runs.
//!
//! A metric is a [`PairMetric`]: what it says of itself and a formula of what is counted of a pair.
//! To add one to this crate, write it in a file of `formulas/` and name it in `formulas/mod.rs`.

pub(crate) mod count_logs;
pub(crate) mod definition;
pub(crate) mod formulas;

pub use definition::{
    Cell, ClassTable, EqualPredictions, ErrorTable, PairDefinition, PairFormula, PairMetric,
};
