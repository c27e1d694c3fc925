//! The values of every metric on every pair of runs.

use xai_core::{Interval, Result, Summary};

use crate::across_runs::error_sets::ErrorSets;
use crate::interval::pair_values::PairStatistic;
use crate::interval::run_interval::RunInterval;
use crate::pair_metric::definition::PairMetric;
use crate::pairwise::pair_table::PairTable;

/// The pairwise metrics of `k` runs over `n` samples, made by [`Pairwise`](crate::Pairwise).
///
/// Pairs are in the order of [`pairs`](crate::pairwise::pairs): (0, 1), (0, 2), …, (1, 2), ….
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseReproducibility {
    errors: ErrorSets,
    pairs: PairTable,
}

impl PairwiseReproducibility {
    pub(super) fn new(errors: ErrorSets, pairs: PairTable) -> Self {
        Self { errors, pairs }
    }

    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.pairs.n_runs()
    }

    /// The runs' error sets: accuracies, always and ever wrong, leave-one-out consistency.
    #[must_use]
    pub fn errors(&self) -> &ErrorSets {
        &self.errors
    }

    /// The value of a metric on every pair, undefined ones as `None`; empty for a metric that was
    /// not asked for.
    #[must_use]
    pub fn pairs(&self, metric: PairMetric) -> &[Option<f64>] {
        self.pairs.pairs(metric)
    }

    /// The distribution of a metric over the pairs.
    #[must_use]
    pub fn summary(&self, metric: PairMetric) -> Summary {
        self.pairs.summary(metric)
    }

    /// An interval for the mean of a metric over pairs, by a jackknife over *runs*: pairs share
    /// runs and are not independent. `None` below three runs, or when leaving out some run leaves
    /// no pair defined.
    ///
    /// # Errors
    /// [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a level outside (0, 1).
    pub fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.pairs.interval(metric, level)
    }

    /// An interval over *runs* for any statistic of a metric over the pairs. `None` as for
    /// [`interval`](Self::interval), which this is, up to rounding, for the mean and the jackknife.
    ///
    /// # Errors
    /// [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a level outside (0, 1), a quantile outside [0, 1] or no
    /// replicates.
    pub fn interval_of(
        &self,
        metric: PairMetric,
        statistic: PairStatistic,
        interval: RunInterval,
    ) -> Result<Option<Interval>> {
        self.pairs.interval_of(metric, statistic, interval)
    }
}
