//! Runs that predict numbers.

pub(crate) mod definition;
pub(crate) mod formulas;
mod reproducibility;
mod run_pair;

pub use definition::RegressionMetric;
pub use reproducibility::RegressionReproducibility;
