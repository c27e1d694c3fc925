//! Numbers of a report: estimates with intervals, and histograms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_core::Interval;

/// Default coverage of intervals, also for earlier reports that do not store it.
pub(crate) fn default_level() -> f64 {
    0.95
}

/// A value with its interval. The interval has level 95 % unless the section has another level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Value; `null` if it is undefined.
    pub value: Option<f64>,
    /// Lower and upper end of the interval; `null` if there are too few values.
    pub interval: Option<[f64; 2]>,
    /// True if the interval is based on so few values that it covers less often than its level says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub small_sample: bool,
    /// Number of samples, runs or pairs with a value.
    pub n: u64,
    /// Number of samples, runs or pairs without a value.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_undefined: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Estimate {
    /// Creates an estimate from a value, its interval and the number of values.
    pub fn new(value: Option<f64>, interval: Option<Interval>, n: u64) -> Self {
        Self {
            value,
            interval: interval.map(|interval| [interval.low, interval.high]),
            small_sample: interval.is_some_and(|interval| interval.is_small_sample()),
            n,
            n_undefined: 0,
        }
    }

    /// Sets the number of samples, runs or pairs without a value.
    pub(crate) fn with_undefined(self, n_undefined: u64) -> Self {
        Self {
            n_undefined,
            ..self
        }
    }
}

impl From<Option<f64>> for Estimate {
    /// Creates an estimate without an interval.
    fn from(value: Option<f64>) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }
}

/// Histogram with bins of equal width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Histogram {
    /// Start of the first bin.
    pub from: f64,
    /// End of the last bin, which belongs to it.
    pub to: f64,
    /// Number of values by bin.
    pub counts: Vec<u64>,
}

impl Histogram {
    /// Counts values in `n_bins` bins from `from` to `to`. Values outside are counted in the first
    /// or the last bin.
    pub fn new(
        values: impl IntoIterator<Item = f64>,
        (from, to): (f64, f64),
        n_bins: usize,
    ) -> Self {
        let mut counts = vec![0; n_bins.max(1)];
        let last = counts.len() - 1;
        for value in values {
            let share = if to > from {
                (value - from) / (to - from)
            } else {
                0.0
            };
            // The cast saturates at 0 for values below the first bin.
            let bin = (share * counts.len() as f64) as usize;
            counts[bin.min(last)] += 1;
        }
        Self { from, to, counts }
    }

    /// True if all bins are empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.iter().all(|n| *n == 0)
    }

    /// Start and end of a bin.
    pub fn bin(&self, index: usize) -> (f64, f64) {
        let width = (self.to - self.from) / self.counts.len() as f64;
        (
            self.from + width * index as f64,
            self.from + width * (index + 1) as f64,
        )
    }
}
