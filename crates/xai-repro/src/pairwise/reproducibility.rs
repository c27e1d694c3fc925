//! Results: values or summaries of every metric for all pairs of runs.

use xai_core::{Interval, Result, Summary};

use crate::across_runs::agreement::Agreement;
use crate::across_runs::error_sets::ErrorSets;
use crate::interval::pair_distribution::{PairMoments, PairResults, impl_pair_results};
use crate::pair_metric::definition::PairMetric;
use crate::pairwise::options::EmptyUnion;

/// Values of the pairwise metrics of `k` runs, returned by [`Pairwise`](crate::Pairwise).
///
/// Pairs are in the order of [`pairs`](crate::pairwise::pairs): (0, 1), (0, 2), …, (1, 2), ….
///
/// With the feature `serde`, metrics are stored by name, and read if they are metrics of this crate.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredReproducibility"))]
pub struct PairwiseReproducibility {
    pub(super) errors: ErrorSets,
    pub(super) pairs: PairTable,
}

impl PairwiseReproducibility {
    /// Error sets of the runs: accuracies, samples that are always or ever wrong, leave-one-out consistency.
    #[must_use]
    pub fn errors(&self) -> &ErrorSets {
        &self.errors
    }
}

impl_pair_results!(PairwiseReproducibility, PairMetric, |own| &own.pairs);

/// Values of the pairwise metrics for all samples of a [`PairwiseAccumulator`](crate::PairwiseAccumulator).
///
/// Pairs are in the order (0, 1), (0, 2), …, (1, 2), ….
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredStreamed"))]
#[non_exhaustive]
pub struct StreamedReproducibility {
    pub(super) pairs: PairTable,
    /// Number of samples.
    pub n_samples: u64,
    /// Accuracy by run, in [0, 1].
    pub accuracy: Vec<f64>,
    /// Number of samples that all runs predict wrongly.
    pub n_always_wrong: u64,
    /// Number of samples that at least one run predicts wrongly.
    pub n_ever_wrong: u64,
    /// Error consistency of all other runs, by run that is left out; see
    /// [`ErrorSets::leave_one_out_consistency`](crate::ErrorSets::leave_one_out_consistency).
    pub leave_one_out_consistency: Vec<Option<f64>>,
    /// Agreement of all runs; `None` if no metric with equal predictions (such as `pa_acc`) was evaluated.
    pub agreement: Option<Agreement>,
}

impl_pair_results!(StreamedReproducibility, PairMetric, |own| &own.pairs);

/// Summaries of the pairwise metrics without the values of the pairs, so that memory grows with the number of runs, not
/// pairs.
///
/// Mean, standard deviation, extremes and intervals have the same bits as those of [`PairwiseReproducibility`].
/// Quantiles need all values and are `None` here; use [`Pairwise::evaluate`](crate::Pairwise::evaluate) for them.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PackedRuns, PairMetric, Pairwise, metrics};
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let error_metrics = metrics::error_metrics();
/// let packed = PackedRuns::new(&error_metrics, predictions.view(), &[0, 1, 1, 0])?;
/// let summaries = Pairwise::new().metrics(&error_metrics).summarize(&packed)?;
/// let local = summaries.summary(PairMetric::EC_LOCAL).unwrap(); // of 1/3, 1/2, 0
/// assert!((local.mean.unwrap() - 5.0 / 18.0).abs() < 1e-15);
/// assert_eq!((local.min, local.max, local.median), (Some(0.0), Some(0.5), None));
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredSummaries"))]
pub struct PairwiseSummaries {
    pub(super) errors: ErrorSets,
    pub(super) moments_by_metric: Vec<(PairMetric, PairMoments)>,
}

impl PairwiseSummaries {
    /// Number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.errors.n_runs()
    }

    /// Error sets of the runs: accuracies, samples that are always or ever wrong, leave-one-out consistency.
    #[must_use]
    pub fn errors(&self) -> &ErrorSets {
        &self.errors
    }

    /// Evaluated metrics, in the order of the options.
    pub fn metrics(&self) -> impl Iterator<Item = PairMetric> + '_ {
        self.moments_by_metric.iter().map(|(metric, _)| *metric)
    }

    /// Summary statistics of a metric over the pairs, without quantiles; `None` for a metric that was not evaluated.
    #[must_use]
    pub fn summary(&self, metric: PairMetric) -> Option<Summary> {
        self.moments(metric).map(|moments| moments.summary())
    }

    /// Interval for the mean of a metric, as [`PairwiseReproducibility::interval`]; `None` also for a metric that was
    /// not evaluated.
    ///
    /// # Errors
    /// `InvalidParameter` for a level outside (0, 1).
    pub fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.moments(metric)
            .map_or(Ok(None), |moments| moments.interval(level))
    }

    fn moments(&self, metric: PairMetric) -> Option<&PairMoments> {
        let mut entries = self.moments_by_metric.iter();
        let entry = entries.find(|(evaluated, _)| *evaluated == metric);
        entry.map(|(_, moments)| moments)
    }
}

/// Values of the evaluated metrics by pair.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct PairTable {
    pub(super) n_runs: usize,
    pub(super) empty_union: EmptyUnion,
    /// Values by metric, in the order of the options, and pair.
    pub(super) values: Vec<(PairMetric, Vec<Option<f64>>)>,
}

impl PairResults<PairMetric> for PairTable {
    fn n_runs(&self) -> usize {
        self.n_runs
    }

    fn values(&self, metric: PairMetric) -> &[Option<f64>] {
        let mut entries = self.values.iter();
        let entry = entries.find(|(evaluated, _)| *evaluated == metric);
        entry.map_or(&[], |(_, values)| values)
    }

    fn drops_undefined(&self, metric: PairMetric) -> bool {
        self.empty_union.drops(metric)
    }
}

/// Deserialised results, and the checks that they have one value per pair.
#[cfg(feature = "serde")]
mod stored {
    use super::{PairTable, PairwiseReproducibility, PairwiseSummaries, StreamedReproducibility};
    use crate::across_runs::agreement::Agreement;
    use crate::across_runs::error_sets::ErrorSets;
    use crate::counting::pair_tiles::n_pairs;
    use crate::input;
    use crate::interval::pair_distribution::PairMoments;
    use crate::pair_metric::definition::PairMetric;
    use xai_core::{Error, Result};

    #[derive(serde::Deserialize)]
    pub(super) struct StoredReproducibility {
        errors: ErrorSets,
        pairs: PairTable,
    }

    impl TryFrom<StoredReproducibility> for PairwiseReproducibility {
        type Error = Error;

        fn try_from(
            StoredReproducibility { errors, pairs }: StoredReproducibility,
        ) -> Result<Self> {
            pairs.check(errors.n_runs())?;
            Ok(Self { errors, pairs })
        }
    }

    #[derive(serde::Deserialize)]
    pub(super) struct StoredStreamed {
        pairs: PairTable,
        n_samples: u64,
        accuracy: Vec<f64>,
        n_always_wrong: u64,
        n_ever_wrong: u64,
        leave_one_out_consistency: Vec<Option<f64>>,
        agreement: Option<Agreement>,
    }

    impl TryFrom<StoredStreamed> for StreamedReproducibility {
        type Error = Error;

        fn try_from(stored: StoredStreamed) -> Result<Self> {
            let k = stored.accuracy.len();
            stored.pairs.check(k)?;
            ensure(stored.leave_one_out_consistency.len() == k)?;
            Ok(Self {
                pairs: stored.pairs,
                n_samples: stored.n_samples,
                accuracy: stored.accuracy,
                n_always_wrong: stored.n_always_wrong,
                n_ever_wrong: stored.n_ever_wrong,
                leave_one_out_consistency: stored.leave_one_out_consistency,
                agreement: stored.agreement,
            })
        }
    }

    #[derive(serde::Deserialize)]
    pub(super) struct StoredSummaries {
        errors: ErrorSets,
        moments_by_metric: Vec<(PairMetric, PairMoments)>,
    }

    impl TryFrom<StoredSummaries> for PairwiseSummaries {
        type Error = Error;

        fn try_from(stored: StoredSummaries) -> Result<Self> {
            let k = stored.errors.n_runs();
            let mut moments = stored.moments_by_metric.iter();
            ensure(moments.all(|(_, moments)| moments.are_possible(k)))?;
            Ok(Self {
                errors: stored.errors,
                moments_by_metric: stored.moments_by_metric,
            })
        }
    }

    impl PairTable {
        /// Checks that there is a finite or undefined value for each pair of `k` runs.
        fn check(&self, k: usize) -> Result<()> {
            ensure(self.n_runs == k && k >= 2)?;
            let is_finite = |value: &Option<f64>| value.is_none_or(f64::is_finite);
            let is_complete = |(_, values): &(PairMetric, Vec<Option<f64>>)| {
                values.len() == n_pairs(k) && values.iter().all(is_finite)
            };
            ensure(self.values.iter().all(is_complete))
        }
    }

    fn ensure(is_consistent: bool) -> Result<()> {
        if is_consistent {
            Ok(())
        } else {
            let why = "not the values of all pairs of the runs";
            Err(Error::corrupt(input::PAIRWISE_RESULTS, why))
        }
    }
}

#[cfg(feature = "serde")]
use stored::{StoredReproducibility, StoredStreamed, StoredSummaries};
