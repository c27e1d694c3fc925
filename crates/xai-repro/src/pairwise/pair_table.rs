//! The value of each metric on each pair.

use xai_core::{Interval, Result, Summary};

use crate::counting::pairs::pairs;
use crate::interval::pair_moments::PairMoments;
use crate::interval::pair_values::{PairStatistic, PairValues};
use crate::interval::run_interval::{RunInterval, interval_over_runs};
use crate::pair_metric::definition::PairMetric;
use crate::pairwise::empty_union::EmptyUnion;

/// The value of each metric that was asked for on each pair.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(crate) struct PairTable {
    n_runs: usize,
    empty_union: EmptyUnion,
    /// In the order asked for.
    #[cfg_attr(feature = "serde", serde(serialize_with = "in_order_of_the_registry"))]
    values: Vec<(PairMetric, Vec<Option<f64>>)>,
}

impl PairTable {
    /// The values of metrics on all pairs of `k` runs, pairs in order.
    pub(crate) fn new(
        k: usize,
        empty_union: EmptyUnion,
        values: Vec<(PairMetric, Vec<Option<f64>>)>,
    ) -> Self {
        Self {
            n_runs: k,
            empty_union,
            values,
        }
    }

    pub(crate) fn pairs(&self, metric: PairMetric) -> &[Option<f64>] {
        let found = self.values.iter().find(|(asked, _)| *asked == metric);
        found.map_or(&[], |(_, values)| values)
    }

    pub(crate) fn n_runs(&self) -> usize {
        self.n_runs
    }

    pub(crate) fn summary(&self, metric: PairMetric) -> Summary {
        let counted = self.counted(metric).map(|(_, value)| value);
        // A value that is not finite was an error before.
        let quantiles = Summary::of(counted).unwrap_or_default();
        Summary {
            q25: quantiles.q25,
            median: quantiles.median,
            q75: quantiles.q75,
            ..self.moments(metric).summary()
        }
    }

    pub(crate) fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.moments(metric).interval(level)
    }

    pub(crate) fn interval_of(
        &self,
        metric: PairMetric,
        statistic: PairStatistic,
        method: RunInterval,
        level: f64,
    ) -> Result<Option<Interval>> {
        statistic.check()?;
        let values = PairValues::new(self.n_runs, self.pairs(metric));
        interval_over_runs(self.n_runs, method, level, |times| {
            values.statistic(statistic, times)
        })
    }

    /// The pairs that count, defined or not.
    fn counted(
        &self,
        metric: PairMetric,
    ) -> impl Iterator<Item = ((usize, usize), Option<f64>)> + '_ {
        let drops = self.empty_union.drops(metric);
        let values = self.pairs(metric).iter().copied();
        pairs(self.n_runs)
            .zip(values)
            .filter(move |(_, value)| value.is_some() || !drops)
    }

    fn moments(&self, metric: PairMetric) -> PairMoments {
        let mut moments = PairMoments::new(self.n_runs);
        for ((first, second), value) in self.counted(metric) {
            moments.update(first, second, value);
        }
        moments
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
