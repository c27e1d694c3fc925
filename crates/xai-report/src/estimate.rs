//! Numbers of a report: an estimate with its interval, and a histogram.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_core::Interval;

/// The coverage of intervals, where nothing else was asked for or a report of an earlier version does not say it.
pub(crate) fn usual_level() -> f64 {
    0.95
}

/// A value, and its interval, which covers 95 % where the section says no other level.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The value; `None` where it is undefined.
    pub value: Option<f64>,
    /// The ends of the interval; `None` where there are too few values for one.
    pub interval: Option<[f64; 2]>,
    /// Whether the interval is of few values, and covers less often than it says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub small_sample: bool,
    /// How many samples, runs or pairs it is made from.
    pub n: u64,
    /// How many more have no value.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_undefined: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's signature
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Estimate {
    /// A value of `n`, with its interval.
    pub fn new(value: Option<f64>, interval: Option<Interval>, n: u64) -> Self {
        Self {
            value,
            interval: interval.map(|interval| [interval.low, interval.high]),
            small_sample: interval.is_some_and(|interval| interval.is_small_sample()),
            n,
            n_undefined: 0,
        }
    }

    /// Of which so many more have no value.
    pub(crate) fn undefined(self, n_undefined: u64) -> Self {
        Self {
            n_undefined,
            ..self
        }
    }
}

impl From<Option<f64>> for Estimate {
    /// A number without an interval.
    fn from(value: Option<f64>) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }
}

/// Numbers of values in bins of one width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// Where the first bin begins.
    pub from: f64,
    /// Where the last one ends; it belongs to the last bin.
    pub to: f64,
    /// Numbers of values, by bin.
    pub counts: Vec<u64>,
}

impl Histogram {
    /// Counts values in `n_bins` bins from `from` to `to`; values outside are counted in the first or the
    /// last one.
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
            // Truncation keeps what is below the first bin in it.
            let bin = (share * counts.len() as f64) as usize;
            counts[bin.min(last)] += 1;
        }
        Self { from, to, counts }
    }

    /// Whether no value is in any bin.
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.iter().all(|n| *n == 0)
    }

    /// The ends of a bin.
    pub fn bin(&self, index: usize) -> (f64, f64) {
        let width = (self.to - self.from) / self.counts.len() as f64;
        (
            self.from + width * index as f64,
            self.from + width * (index + 1) as f64,
        )
    }
}
