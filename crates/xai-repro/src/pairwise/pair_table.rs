//! The value of each metric on each pair.

use xai_core::{Interval, Result, Summary};

use crate::interval::pair_distribution::PairDistribution;
use crate::interval::pair_values::PairStatistic;
use crate::interval::run_interval::RunInterval;
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

    fn distribution(&self, metric: PairMetric) -> PairDistribution<'_> {
        PairDistribution::of_checked(self.n_runs, self.pairs(metric))
    }

    pub(crate) fn summary(&self, metric: PairMetric) -> Summary {
        let mut summary = self.distribution(metric).summary();
        if self.empty_union.drops(metric) {
            summary.n_undefined = 0;
        }
        summary
    }

    pub(crate) fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.distribution(metric).interval_of_mean(level)
    }

    pub(crate) fn interval_of(
        &self,
        metric: PairMetric,
        statistic: PairStatistic,
        interval: RunInterval,
    ) -> Result<Option<Interval>> {
        self.distribution(metric).interval(statistic, interval)
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
