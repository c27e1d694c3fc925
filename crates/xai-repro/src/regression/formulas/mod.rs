//! The metrics of two runs' numeric predictions: one file each, or for several from one pass.

use std::str::FromStr;

use xai_core::{Error, Result};

use crate::input;
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

impl FromStr for RegressionMetric {
    type Err = Error;

    /// The metric with a name.
    fn from_str(name: &str) -> Result<Self> {
        let found = METRICS.iter().find(|metric| metric.name() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = METRICS.iter().map(|metric| metric.name()).collect();
            Error::parameter(input::METRIC, name, format!("one of {}", names.join(", ")))
        })
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for RegressionMetric {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}
