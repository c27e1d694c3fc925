//! The metrics of samples that arrived in blocks.

use xai_core::{Interval, Result, Summary};

use crate::across_runs::agreement::Agreement;
use crate::interval::pair_values::PairStatistic;
use crate::interval::run_interval::RunInterval;
use crate::pair_metric::definition::PairMetric;
use crate::pairwise::pair_table::PairTable;

/// The metrics of all samples that a [`PairwiseAccumulator`](crate::PairwiseAccumulator) was updated
/// with.
///
/// Pairs are in the order (0, 1), (0, 2), …, (1, 2), ….
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct StreamedReproducibility {
    pub(super) pairs: PairTable,
    /// The number of samples.
    pub n_samples: u64,
    /// Each run's accuracy, in [0, 1].
    pub accuracy: Vec<f64>,
    /// The number of samples that every run gets wrong.
    pub n_always_wrong: u64,
    /// The number of samples that at least one run gets wrong.
    pub n_ever_wrong: u64,
    /// For each run the error consistency of all the others at once, as
    /// [`ErrorSets::leave_one_out_consistency`](crate::ErrorSets::leave_one_out_consistency).
    pub leave_one_out_consistency: Vec<Option<f64>>,
    /// The agreement of all runs at once; `None` where no metric of agreement was asked for.
    pub agreement: Option<Agreement>,
}

impl StreamedReproducibility {
    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.pairs.n_runs()
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

    /// An interval for the mean of a metric, as
    /// [`PairwiseReproducibility::interval`](crate::PairwiseReproducibility::interval).
    ///
    /// # Errors
    /// [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a level outside (0, 1).
    pub fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.pairs.interval(metric, level)
    }

    /// An interval for any statistic of a metric, as
    /// [`PairwiseReproducibility::interval_of`](crate::PairwiseReproducibility::interval_of).
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
