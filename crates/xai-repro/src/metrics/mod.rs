//! All metrics of this crate.
//!
//! Metrics of pairs of runs are constants of [`PairMetric`], those of pairs of regression runs constants of
//! [`RegressionMetric`](crate::RegressionMetric), and those of all runs methods of [`Agreement`](crate::Agreement).
//!
#![doc = include_str!("../../METRICS.md")]

use crate::pair_metric::definition::{PairFormula, PairMetric};

pub(crate) mod family;

pub use crate::pair_metric::formulas::METRICS as PAIR_METRICS;
pub use crate::regression::formulas::METRICS as REGRESSION_METRICS;

/// Returns the pair metrics of errors alone, for which one bit per sample and run is packed.
#[must_use]
pub fn error_metrics() -> Vec<PairMetric> {
    let of_errors =
        |metric: &PairMetric| matches!(metric.definition().formula, PairFormula::Errors(_));
    PAIR_METRICS.iter().copied().filter(of_errors).collect()
}
