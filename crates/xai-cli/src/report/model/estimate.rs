//! A number with its doubt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value, and an interval of 95 %.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Estimate {
    /// The value; `None` where it is undefined.
    pub(crate) value: Option<f64>,
    /// The ends of the interval; `None` where there are too few values for one.
    pub(crate) interval: Option<[f64; 2]>,
    /// Whether the interval is of few values, and covers less often than 95 %.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) small_sample: bool,
    /// How many samples, runs or pairs it is made from.
    pub(crate) n: u64,
    /// How many more have no value.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) n_undefined: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Estimate {
    /// A value of `n`, with its interval.
    pub(crate) fn new(
        value: Option<f64>,
        interval: Option<xai_metrics::core::Interval>,
        n: u64,
    ) -> Self {
        Self {
            value,
            interval: interval.map(|interval| [interval.low, interval.high]),
            small_sample: interval.is_some_and(|interval| interval.is_small_sample()),
            n,
            n_undefined: 0,
        }
    }
}
