//! The values of every metric on every pair of runs.

use xai_core::{Interval, Result, Summary};

use crate::across_runs::agreement::Agreement;
use crate::across_runs::error_sets::ErrorSets;
use crate::interval::pair_distribution::{PairMoments, ValuesOfPairs, over_pairs};
use crate::pair_metric::definition::PairMetric;
use crate::pairwise::options::EmptyUnion;

/// The pairwise metrics of `k` runs over `n` samples, made by [`Pairwise`](crate::Pairwise).
///
/// Pairs are in the order of [`pairs`](crate::pairwise::pairs): (0, 1), (0, 2), …, (1, 2), ….
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseReproducibility {
    pub(super) errors: ErrorSets,
    pub(super) pairs: PairTable,
}

impl PairwiseReproducibility {
    /// The runs' error sets: accuracies, always and ever wrong, leave-one-out consistency.
    #[must_use]
    pub fn errors(&self) -> &ErrorSets {
        &self.errors
    }
}

over_pairs!(PairwiseReproducibility, PairMetric, |own| &own.pairs);

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

over_pairs!(StreamedReproducibility, PairMetric, |own| &own.pairs);

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
    pub(super) errors: ErrorSets,
    pub(super) of_metrics: Vec<(PairMetric, PairMoments)>,
}

impl PairwiseSummaries {
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
    /// `InvalidParameter` for a level outside (0, 1).
    pub fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.moments(metric)
            .map_or(Ok(None), |moments| moments.interval(level))
    }

    fn moments(&self, metric: PairMetric) -> Option<&PairMoments> {
        let of_metric = self.of_metrics.iter().find(|(m, _)| *m == metric);
        of_metric.map(|(_, moments)| moments)
    }
}

/// The value of each metric that was asked for on each pair.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(super) struct PairTable {
    pub(super) n_runs: usize,
    pub(super) empty_union: EmptyUnion,
    /// Pairs in order, metrics in the order asked for.
    #[cfg_attr(feature = "serde", serde(serialize_with = "in_order_of_the_registry"))]
    pub(super) values: Vec<(PairMetric, Vec<Option<f64>>)>,
}

impl ValuesOfPairs<PairMetric> for PairTable {
    fn n_runs(&self) -> usize {
        self.n_runs
    }

    fn values(&self, metric: PairMetric) -> &[Option<f64>] {
        let found = self.values.iter().find(|(asked, _)| *asked == metric);
        found.map_or(&[], |(_, values)| values)
    }

    fn leaves_out_undefined(&self, metric: PairMetric) -> bool {
        self.empty_union.drops(metric)
    }
}

/// One list for each metric of the registry, empty for one that was not asked for; then others.
#[cfg(feature = "serde")]
fn in_order_of_the_registry<S: serde::Serializer>(
    values: &[(PairMetric, Vec<Option<f64>>)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    use crate::pair_metric::formulas::METRICS;
    let of = |metric: &PairMetric| {
        let found = values.iter().find(|(asked, _)| asked == metric);
        found.map_or(&[][..], |(_, values)| values)
    };
    let others = values.iter().filter(|(asked, _)| !METRICS.contains(asked));
    let others = others.map(|(_, values)| values.as_slice());
    let all: Vec<&[Option<f64>]> = METRICS.iter().map(of).chain(others).collect();
    serializer.collect_seq(all)
}
