//! Values of one metric for all pairs of runs: summaries, intervals, leave-one-out means.

use xai_core::ExactSum;
use xai_core::describe::{Parameter, Parameters, refused};
use xai_core::statistics::jackknife;
use xai_core::sum::Moments;
use xai_core::tensor::check_shape;
use xai_core::{Error, Interval, Result, Summary};

#[cfg(feature = "serde")]
use crate::counting::pair_tiles::n_pairs;
use crate::counting::pair_tiles::pairs;
use crate::input;
use crate::interval::run_interval::{RunInterval, interval_over_runs};

/// Values of one metric for all pairs of `k` runs, from any source, with undefined values as `None`.
///
/// ```
/// use xai_repro::interval::PairDistribution;
/// use xai_repro::{PairStatistic, RunInterval};
/// let values = [Some(0.25), Some(0.5), Some(0.75)];
/// let pairs = PairDistribution::new(3, &values)?;
/// assert_eq!(pairs.summary().mean, Some(0.5));
/// // Without one run, the value of the pair of the other two is left.
/// let interval = pairs.interval(PairStatistic::Mean, RunInterval::jackknife())?;
/// assert!(interval.is_some_and(|interval| interval.low < 0.5 && 0.5 < interval.high));
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairDistribution<'a> {
    n_runs: usize,
    values: &'a [Option<f64>],
}

impl<'a> PairDistribution<'a> {
    /// Creates a distribution from the `k (k − 1) / 2` values of `k` runs, in the order (0, 1), (0, 2), …, (1, 2), ….
    ///
    /// # Errors
    /// `TooFew` for fewer than two runs, `ShapeMismatch` for another number of values, `NonFinite` for a value that is
    /// NaN or infinite.
    pub fn new(n_runs: usize, values: &'a [Option<f64>]) -> Result<Self> {
        if n_runs < 2 {
            return Err(Error::too_few(input::RUNS, 2, n_runs));
        }
        let expected = n_runs.saturating_mul(n_runs - 1) / 2;
        check_shape(input::PAIRS, &[expected], &[values.len()])?;
        let infinite = |value: &Option<f64>| value.is_some_and(|value| !value.is_finite());
        if let Some(pair) = values.iter().position(infinite) {
            return Err(Error::non_finite(input::PAIRS, &[pair]));
        }
        Ok(Self { n_runs, values })
    }

    /// Creates a distribution from values of this crate, which are known to be valid.
    pub(crate) fn from_checked(n_runs: usize, values: &'a [Option<f64>]) -> Self {
        Self { n_runs, values }
    }

    fn moments(&self) -> PairMoments {
        let mut moments = PairMoments::new(self.n_runs);
        for ((first, second), &value) in pairs(self.n_runs).zip(self.values) {
            moments.update(first, second, value);
        }
        moments
    }

    /// Summary statistics of the values.
    #[must_use]
    pub fn summary(&self) -> Summary {
        // Fails only for values that are not finite, which are rejected before. Mean and deviation come from the
        // moments, as in summaries without stored values, so that both have the same bits.
        let quantiles = Summary::from_values(self.values.iter().copied()).unwrap_or_default();
        Summary {
            q25: quantiles.q25,
            median: quantiles.median,
            q75: quantiles.q75,
            ..self.moments().summary()
        }
    }

    /// Interval for the mean by a jackknife over *runs*. `None` for fewer than three runs, or if some run belongs to
    /// every defined pair.
    ///
    /// # Errors
    /// `InvalidParameter` for a level outside (0, 1).
    pub fn interval_of_mean(&self, level: f64) -> Result<Option<Interval>> {
        self.moments().interval(level)
    }

    /// Interval over *runs* for any statistic of the values. `None` for fewer than three runs, if the statistic is
    /// undefined for all runs or without one of them, and if it is defined in fewer than two bootstrap replicates.
    ///
    /// # Errors
    /// `InvalidParameter` for a level outside (0, 1), a quantile outside [0, 1], or fewer than two or more than
    /// 10 000 000 replicates.
    pub fn interval(
        &self,
        statistic: PairStatistic,
        interval: RunInterval,
    ) -> Result<Option<Interval>> {
        statistic.check()?;
        // Exact sums give all leave-one-out means in one pass over the pairs. Other statistics take one pass per run.
        if let (PairStatistic::Mean, Some(level)) = (statistic, interval.jackknife_level()) {
            interval.check_params()?;
            return self.interval_of_mean(level);
        }
        let values = SortedPairs::new(self.n_runs, self.values);
        interval_over_runs(self.n_runs, interval, |times| {
            values.statistic(statistic, times)
        })
    }
}

/// Stored values of several metrics for all pairs of runs.
pub(crate) trait PairResults<M> {
    fn n_runs(&self) -> usize;

    /// Values of a metric by pair; empty for a metric that was not evaluated.
    fn values(&self, metric: M) -> &[Option<f64>];

    /// True if undefined pairs are not reported as such, because [`EmptyUnion::Drop`](crate::EmptyUnion::Drop) applies.
    fn drops_undefined(&self, _metric: M) -> bool {
        false
    }
}

/// Implements the public methods of a result with values by pair, which all results have in common. The closure returns
/// the [`PairResults`] in the result.
macro_rules! impl_pair_results {
    ($result:ident, $metric:ident, |$own:ident| $values:expr) => {
        impl $result {
            /// Number of runs.
            #[must_use]
            pub fn n_runs(&self) -> usize {
                let $own = self;
                PairResults::<$metric>::n_runs($values)
            }

            /// Values of a metric for all pairs, undefined ones as `None`. Empty for a metric that was not evaluated.
            #[must_use]
            pub fn pairs(&self, metric: $metric) -> &[Option<f64>] {
                let $own = self;
                PairResults::values($values, metric)
            }

            fn distribution(&self, metric: $metric) -> $crate::interval::PairDistribution<'_> {
                $crate::interval::PairDistribution::from_checked(self.n_runs(), self.pairs(metric))
            }

            /// Summary statistics of a metric over the pairs.
            #[must_use]
            pub fn summary(&self, metric: $metric) -> xai_core::Summary {
                let $own = self;
                let mut summary = self.distribution(metric).summary();
                if PairResults::drops_undefined($values, metric) {
                    summary.n_undefined = 0;
                }
                summary
            }

            /// Interval for the mean of a metric over the pairs, by a jackknife over *runs*, because pairs share runs
            /// and are not independent. `None` for fewer than three runs, or if some run belongs to every defined pair.
            ///
            /// # Errors
            /// `InvalidParameter` for a level outside (0, 1).
            pub fn interval(
                &self,
                metric: $metric,
                level: f64,
            ) -> xai_core::Result<Option<xai_core::Interval>> {
                self.distribution(metric).interval_of_mean(level)
            }

            /// Interval over *runs* for any statistic of a metric over the pairs.
            ///
            /// For the mean and the jackknife it equals [`interval`](Self::interval). `None` for fewer than three runs,
            /// if the statistic is undefined for all runs or without one of them, and if it is defined in fewer than
            /// two bootstrap replicates.
            ///
            /// # Errors
            /// `InvalidParameter` for a level outside (0, 1), a quantile outside [0, 1], or fewer than two or more than
            /// 10 000 000 replicates.
            pub fn interval_of(
                &self,
                metric: $metric,
                statistic: $crate::PairStatistic,
                interval: $crate::RunInterval,
            ) -> xai_core::Result<Option<xai_core::Interval>> {
                self.distribution(metric).interval(statistic, interval)
            }
        }
    };
}
pub(crate) use impl_pair_results;

/// A statistic over pairs of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[param(name = "statistic")]
#[non_exhaustive]
pub enum PairStatistic {
    /// Mean.
    #[default]
    Mean,
    /// Standard deviation (denominator `n − 1`).
    Std,
    /// Smallest value.
    Min,
    /// Median.
    Median,
    /// Largest value.
    Max,
    /// Quantile at a share in [0, 1], interpolated linearly.
    #[param(plain, at_least = 0, at_most = 1)]
    Quantile(f64),
}

impl PairStatistic {
    pub(crate) fn check(self) -> Result<()> {
        let value = self.to_value();
        if Self::KIND.admits(&value) {
            Ok(())
        } else {
            Err(refused("statistic", &value, &Self::KIND))
        }
    }
}

/// Values of pairs, sorted once so that statistics of many resamples need not sort again.
pub(crate) struct SortedPairs {
    /// Value and runs of each defined pair, in ascending order of the values.
    sorted: Vec<(f64, usize, usize)>,
}

impl SortedPairs {
    /// Sorts the values of all pairs of `k` runs.
    pub(crate) fn new(k: usize, values: &[Option<f64>]) -> Self {
        let mut sorted: Vec<_> = pairs(k)
            .zip(values)
            .filter_map(|((i, j), value)| value.map(|value| (value, i, j)))
            .collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        Self { sorted }
    }

    /// The statistic of a resample that includes run `i` `times[i]` times; `None` if it has too few pairs.
    pub(crate) fn statistic(&self, statistic: PairStatistic, times: &[u32]) -> Option<f64> {
        // Pair (i, j) occurs times[i] · times[j] times. Pairs of a run with its own copy are left out.
        let weighted = || {
            let weight = |i: usize, j: usize| u64::from(times[i]) * u64::from(times[j]);
            self.sorted
                .iter()
                .map(move |&(value, i, j)| (value, weight(i, j)))
                .filter(|&(_, weight)| weight > 0)
        };
        let n: u64 = weighted().map(|(_, weight)| weight).sum();
        if n == 0 {
            return None;
        }
        let mean = || {
            // Values ascend, so that the order of the terms and the rounding of the sum are fixed.
            let sum: f64 = weighted()
                .map(|(value, weight)| value * weight as f64)
                .sum();
            sum / n as f64
        };
        // The value with this rank among the `n` values with repetitions.
        let at_rank = |rank: u64| {
            let mut n_up_to_here = 0;
            weighted()
                .find(|&(_, weight)| {
                    n_up_to_here += weight;
                    rank < n_up_to_here
                })
                .map(|(value, _)| value)
        };
        let quantile = |share: f64| {
            let position = share * (n - 1) as f64;
            let below = position.floor() as u64;
            let (low, high) = (at_rank(below)?, at_rank((below + 1).min(n - 1))?);
            Some(low + (position - below as f64) * (high - low))
        };
        match statistic {
            PairStatistic::Mean => Some(mean()),
            PairStatistic::Std => {
                let mean = mean();
                let squares: f64 = weighted()
                    .map(|(value, weight)| (value - mean) * (value - mean) * weight as f64)
                    .sum();
                (n > 1).then(|| (squares / (n - 1) as f64).sqrt())
            }
            PairStatistic::Min => at_rank(0),
            PairStatistic::Median => quantile(0.5),
            PairStatistic::Max => at_rank(n - 1),
            PairStatistic::Quantile(share) => quantile(share),
        }
    }
}

/// Moments and extremes over all pairs, and the sum over the pairs of each run, without stored values.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PairMoments {
    all_pairs: Moments,
    n_undefined: u64,
    /// By run, the sum and the number of the defined values of its pairs.
    by_run: Vec<(ExactSum, u64)>,
}

impl PairMoments {
    pub(crate) fn new(n_runs: usize) -> Self {
        Self {
            all_pairs: Moments::new(),
            n_undefined: 0,
            by_run: vec![(ExactSum::new(), 0); n_runs],
        }
    }

    /// True if these can be the moments of the pairs of `k` runs.
    #[cfg(feature = "serde")]
    pub(crate) fn are_possible(&self, k: usize) -> bool {
        let n_defined = u128::from(self.all_pairs.count());
        let n_of_runs = self.by_run.iter().map(|&(_, n)| u128::from(n));
        let sums = self.by_run.iter().map(|(sum, _)| sum);
        self.by_run.len() == k
            && n_defined + u128::from(self.n_undefined) <= n_pairs(k) as u128
            && n_of_runs.clone().all(|n| n <= n_defined)
            && n_of_runs.sum::<u128>() == 2 * n_defined
            && sums
                .chain([self.all_pairs.sum()])
                .all(|sum| sum.value().is_finite())
    }

    pub(crate) fn update(&mut self, first: usize, second: usize, value: Option<f64>) {
        let Some(value) = value else {
            self.n_undefined += 1;
            return;
        };
        self.all_pairs.add(value);
        for run in [first, second] {
            self.by_run[run].0.add(value);
            self.by_run[run].1 += 1;
        }
    }

    /// Adds the moments of other pairs. `runs` are the indices of `other`'s runs in `self`.
    pub(crate) fn merge(&mut self, other: &Self, runs: impl Iterator<Item = usize>) {
        self.all_pairs.merge(&other.all_pairs);
        self.n_undefined += other.n_undefined;
        for (run, theirs) in runs.zip(&other.by_run) {
            let mine = &mut self.by_run[run];
            mine.0.add_sum(&theirs.0);
            mine.1 += theirs.1;
        }
    }

    /// Summary without quantiles, which need the values.
    pub(crate) fn summary(&self) -> Summary {
        let count = |n| usize::try_from(n).unwrap_or(usize::MAX);
        Summary {
            n_defined: count(self.all_pairs.count()),
            n_undefined: count(self.n_undefined),
            mean: self.all_pairs.mean(),
            std: self.all_pairs.std(),
            min: self.all_pairs.min(),
            max: self.all_pairs.max(),
            ..Summary::default()
        }
    }

    /// Means without the pairs of each run in turn; `None` if some run belongs to every defined pair.
    fn leave_one_out(&self) -> Option<Vec<f64>> {
        // The sum of the other pairs is the total minus the sum of the run's pairs. Both are exact, so that nothing
        // cancels.
        let mean_without = |(sum_of_run, n_of_run): &(ExactSum, u64)| {
            let n = self
                .all_pairs
                .count()
                .checked_sub(*n_of_run)
                .filter(|&n| n > 0)?;
            let mut rest: ExactSum = sum_of_run.parts().into_iter().map(|part| -part).collect();
            rest.add_sum(self.all_pairs.sum());
            Some(rest.value() / n as f64)
        };
        self.by_run.iter().map(mean_without).collect()
    }

    /// Jackknife interval of the mean; `None` for fewer than three runs, or if some run belongs to every defined pair.
    pub(crate) fn interval(&self, level: f64) -> Result<Option<Interval>> {
        match (self.all_pairs.mean(), self.leave_one_out()) {
            (Some(mean), Some(leave_one_out)) if leave_one_out.len() > 2 => {
                jackknife(mean, &leave_one_out, level).map(Some)
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_taken_again_bring_their_pairs_again() {
        // Pairs (0, 1), (0, 2), (1, 2).
        let pairs = SortedPairs::new(3, &[Some(1.0), Some(2.0), Some(6.0)]);
        let of = |statistic, times: [u32; 3]| pairs.statistic(statistic, &times);
        assert_eq!(of(PairStatistic::Mean, [1, 1, 1]), Some(3.0));
        assert_eq!(of(PairStatistic::Std, [1, 1, 1]), Some(7f64.sqrt()));
        assert_eq!(of(PairStatistic::Quantile(0.75), [1, 1, 1]), Some(4.0));
        assert_eq!(of(PairStatistic::Mean, [2, 1, 0]), Some(1.0));
        // Twice run 0: (0, 1) and (0, 2) twice, (1, 2) once: 1, 1, 2, 2, 6.
        assert_eq!(of(PairStatistic::Mean, [2, 1, 1]), Some(12.0 / 5.0));
        assert_eq!(of(PairStatistic::Median, [2, 1, 1]), Some(2.0));
        assert_eq!(of(PairStatistic::Max, [2, 1, 1]), Some(6.0));
        assert_eq!(of(PairStatistic::Min, [3, 0, 0]), None);
    }
}
