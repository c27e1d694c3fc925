//! Runs that predict numbers.

mod centred;
pub(crate) mod definition;
pub(crate) mod formulas;
mod mean_absolute;
mod reproducibility;
mod residual_ratios;
mod run_pair;

pub use definition::RegressionMetric;
pub use reproducibility::RegressionReproducibility;
