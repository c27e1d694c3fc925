//! Reproducibility of regression models: metrics of the numeric predictions of pairs of runs.

pub(crate) mod definition;
pub(crate) mod formulas;
pub(crate) mod reproducibility;
mod run_pair;
