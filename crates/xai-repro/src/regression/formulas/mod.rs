//! The metrics of two runs' numeric predictions: one file each, or for several from one pass.

use crate::regression::definition::RegressionMetric;

mod concordance;
mod ec_ratio;
mod mae;
mod pearson;

/// All of them, in the order they are reported.
pub const METRICS: &[RegressionMetric] = &[
    RegressionMetric::EC_RATIO,
    RegressionMetric::EC_RATIO_SIGNED,
    RegressionMetric::EC_RATIO_DIFF,
    RegressionMetric::EC_RATIO_DIFF_SIGNED,
    RegressionMetric::CONCORDANCE,
    RegressionMetric::PEARSON,
    RegressionMetric::MAE,
];
