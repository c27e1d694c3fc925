//! Summaries of the metrics without the values of the pairs.

use xai_core::{Interval, Result, Summary};

use crate::across_runs::error_sets::ErrorSets;
use crate::interval::pair_moments::PairMoments;
use crate::pair_metric::definition::PairMetric;

/// The summaries of the pairwise metrics alone, without the values of the pairs: memory grows with
/// the runs, not with their pairs.
///
/// Mean, deviation, extremes and intervals are those of [`PairwiseReproducibility`](crate::PairwiseReproducibility) to the last bit.
/// Quantiles need all values, so they are `None` here; ask [`Pairwise::evaluate`](crate::Pairwise::evaluate) for them.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PackedRuns, PairMetric, Pairwise, registry};
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let metrics = registry::error_metrics();
/// let packed = PackedRuns::new(&metrics, predictions.view(), &[0, 1, 1, 0])?;
/// let summaries = Pairwise::new().metrics(&metrics).summarize(&packed)?;
/// let local = summaries.summary(PairMetric::EC_LOCAL).unwrap(); // of 1/3, 1/2, 0
/// assert!((local.mean.unwrap() - 5.0 / 18.0).abs() < 1e-15);
/// assert_eq!((local.min, local.max, local.median), (Some(0.0), Some(0.5), None));
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseSummaries {
    errors: ErrorSets,
    of_metrics: Vec<(PairMetric, PairMoments)>,
}

impl PairwiseSummaries {
    pub(super) fn new(errors: ErrorSets, of_metrics: Vec<(PairMetric, PairMoments)>) -> Self {
        Self { errors, of_metrics }
    }

    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.errors.n_runs()
    }

    /// The runs' error sets: accuracies, always and ever wrong, leave-one-out consistency.
    #[must_use]
    pub fn errors(&self) -> &ErrorSets {
        &self.errors
    }

    /// The metrics that were asked for, in that order.
    pub fn metrics(&self) -> impl Iterator<Item = PairMetric> + '_ {
        self.of_metrics.iter().map(|(metric, _)| *metric)
    }

    /// The distribution of a metric over the pairs, without quantiles; `None` for a metric that was
    /// not asked for.
    #[must_use]
    pub fn summary(&self, metric: PairMetric) -> Option<Summary> {
        self.moments(metric).map(|moments| moments.summary())
    }

    /// As [`PairwiseReproducibility::interval`](crate::PairwiseReproducibility::interval); `None` also for a metric that was not asked for.
    ///
    /// # Errors
    /// [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a level outside (0, 1).
    pub fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.moments(metric)
            .map_or(Ok(None), |moments| moments.interval(level))
    }

    fn moments(&self, metric: PairMetric) -> Option<&PairMoments> {
        let of_metric = self.of_metrics.iter().find(|(m, _)| *m == metric);
        of_metric.map(|(_, moments)| moments)
    }
}
