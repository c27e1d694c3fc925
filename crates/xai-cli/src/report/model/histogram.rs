//! How values are distributed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Numbers of values in bins of one width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Histogram {
    /// Where the first bin begins.
    pub(crate) from: f64,
    /// Where the last one ends; it belongs to the last bin.
    pub(crate) to: f64,
    /// Numbers of values, by bin.
    pub(crate) counts: Vec<u64>,
}

impl Histogram {
    /// Counts values in `n_bins` bins from `from` to `to`; values outside are counted in the first or the
    /// last one.
    pub(crate) fn new(
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

    /// The ends of a bin.
    pub(crate) fn bin(&self, index: usize) -> (f64, f64) {
        let width = (self.to - self.from) / self.counts.len() as f64;
        (
            self.from + width * index as f64,
            self.from + width * (index + 1) as f64,
        )
    }
}
