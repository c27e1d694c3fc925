//! The values of one metric on all pairs of runs.

use xai_core::describe::{Parameter, Parameters, refused};
use xai_core::statistics::jackknife;
use xai_core::sum::{ExactSum, Moments};
use xai_core::tensor::check_shape;
use xai_core::{Error, Interval, Result, Summary};

use crate::counting::pair_tiles::pairs;
use crate::input;
use crate::interval::run_interval::{RunInterval, interval_over_runs};

/// The values of one metric on all pairs of `k` runs, pairs in order, undefined ones as `None`: what is
/// told of their distribution, wherever they come from.
///
/// ```
/// use xai_repro::interval::{PairDistribution, PairStatistic, RunInterval};
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
    /// Of `k` runs: `k (k − 1) / 2` values, in the order (0, 1), (0, 2), …, (1, 2), ….
    ///
    /// # Errors
    /// `TooFew` below two runs, `ShapeMismatch` for another number of values, and `NonFinite`.
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

    /// Of values that were computed here.
    pub(crate) fn of_checked(n_runs: usize, values: &'a [Option<f64>]) -> Self {
        Self { n_runs, values }
    }

    fn moments(&self) -> PairMoments {
        let mut moments = PairMoments::new(self.n_runs);
        for ((first, second), &value) in pairs(self.n_runs).zip(self.values) {
            moments.update(first, second, value);
        }
        moments
    }

    /// The distribution of the values.
    #[must_use]
    pub fn summary(&self) -> Summary {
        // A value that is not finite was an error before.
        let quantiles = Summary::from_values(self.values.iter().copied()).unwrap_or_default();
        Summary {
            q25: quantiles.q25,
            median: quantiles.median,
            q75: quantiles.q75,
            ..self.moments().summary()
        }
    }

    /// An interval for the mean by a jackknife over *runs*; `None` below three runs, and where some run
    /// has part in every defined pair.
    ///
    /// # Errors
    /// `InvalidParameter` for a level outside (0, 1).
    pub fn interval_of_mean(&self, level: f64) -> Result<Option<Interval>> {
        self.moments().interval(level)
    }

    /// An interval over *runs* for any statistic of the values; `None` below three runs, and where the
    /// statistic is undefined for all runs or without one of them.
    ///
    /// # Errors
    /// `InvalidParameter` for a level outside (0, 1), a quantile outside [0, 1], or no replicates.
    pub fn interval(
        &self,
        statistic: PairStatistic,
        interval: RunInterval,
    ) -> Result<Option<Interval>> {
        statistic.check()?;
        if let (PairStatistic::Mean, Some(level)) = (statistic, interval.level_of_jackknife()) {
            interval.check_params()?;
            return self.interval_of_mean(level);
        }
        let values = PairValues::new(self.n_runs, self.values);
        interval_over_runs(self.n_runs, interval, |times| {
            values.statistic(statistic, times)
        })
    }
}

/// The values of metrics on all pairs of runs.
pub(crate) trait ValuesOfPairs<M> {
    fn n_runs(&self) -> usize;

    /// Empty for a metric that was not asked for.
    fn values(&self, metric: M) -> &[Option<f64>];

    /// Whether undefined pairs were to count for nothing.
    fn leaves_out_undefined(&self, _metric: M) -> bool {
        false
    }
}

/// Writes what every result of pairs of runs says of a metric, from the [`ValuesOfPairs`] that it has.
macro_rules! over_pairs {
    ($result:ident, $metric:ident, |$own:ident| $values:expr) => {
        impl $result {
            /// The number of runs.
            #[must_use]
            pub fn n_runs(&self) -> usize {
                let $own = self;
                ValuesOfPairs::<$metric>::n_runs($values)
            }

            /// The value of a metric on every pair, undefined ones as `None`; empty for a metric that was
            /// not asked for.
            #[must_use]
            pub fn pairs(&self, metric: $metric) -> &[Option<f64>] {
                let $own = self;
                ValuesOfPairs::values($values, metric)
            }

            fn distribution(&self, metric: $metric) -> $crate::interval::PairDistribution<'_> {
                $crate::interval::PairDistribution::of_checked(self.n_runs(), self.pairs(metric))
            }

            /// The distribution of a metric over the pairs.
            #[must_use]
            pub fn summary(&self, metric: $metric) -> xai_core::Summary {
                let $own = self;
                let mut summary = self.distribution(metric).summary();
                if ValuesOfPairs::leaves_out_undefined($values, metric) {
                    summary.n_undefined = 0;
                }
                summary
            }

            /// An interval for the mean of a metric over pairs, by a jackknife over *runs*: pairs share
            /// runs and are not independent. `None` below three runs, or when leaving out some run leaves
            /// no pair defined.
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

            /// An interval over *runs* for any statistic of a metric over the pairs. `None` as for
            /// [`interval`](Self::interval), which this is, up to rounding, for the mean and the jackknife.
            ///
            /// # Errors
            /// `InvalidParameter` for a level outside (0, 1), a quantile outside [0, 1] or no replicates.
            pub fn interval_of(
                &self,
                metric: $metric,
                statistic: $crate::interval::PairStatistic,
                interval: $crate::interval::RunInterval,
            ) -> xai_core::Result<Option<xai_core::Interval>> {
                self.distribution(metric).interval(statistic, interval)
            }
        }
    };
}
pub(crate) use over_pairs;

/// A statistic of the values that pairs of runs have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[param(name = "statistic")]
#[non_exhaustive]
pub enum PairStatistic {
    /// The mean.
    #[default]
    Mean,
    /// The standard deviation, with `n − 1`.
    Std,
    /// The smallest value.
    Min,
    /// The median.
    Median,
    /// The largest value.
    Max,
    /// The quantile at a share in [0, 1], interpolated linearly.
    #[param(plain, at_least = 0, at_most = 1)]
    Quantile(f64),
}

impl PairStatistic {
    pub(crate) fn check(self) -> Result<()> {
        let value = self.to_value();
        match Self::KIND.admits(&value) {
            true => Ok(()),
            false => Err(refused("statistic", &value, &Self::KIND)),
        }
    }
}

/// Values of pairs, ready to be taken any number of times each.
pub(crate) struct PairValues {
    /// The value of each defined pair and its runs, ascending.
    sorted: Vec<(f64, usize, usize)>,
}

impl PairValues {
    /// Of `k` runs, pairs in order.
    pub(crate) fn new(k: usize, values: &[Option<f64>]) -> Self {
        let mut sorted: Vec<_> = pairs(k)
            .zip(values)
            .filter_map(|((i, j), value)| value.map(|value| (value, i, j)))
            .collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        Self { sorted }
    }

    /// The statistic when each run is taken so many times; `None` where nothing is left to take it of.
    pub(crate) fn statistic(&self, statistic: PairStatistic, times: &[u32]) -> Option<f64> {
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
            // Values ascend, so the order of the terms is fixed.
            let sum: f64 = weighted()
                .map(|(value, weight)| value * weight as f64)
                .sum();
            sum / n as f64
        };
        let at = |place: u64| {
            let mut before = 0;
            weighted()
                .find(|&(_, weight)| {
                    before += weight;
                    place < before
                })
                .map(|(value, _)| value)
        };
        let quantile = |share: f64| {
            let place = share * (n - 1) as f64;
            let below = place.floor() as u64;
            let (low, high) = (at(below)?, at((below + 1).min(n - 1))?);
            Some(low + (place - below as f64) * (high - low))
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
            PairStatistic::Min => at(0),
            PairStatistic::Median => quantile(0.5),
            PairStatistic::Max => at(n - 1),
            PairStatistic::Quantile(share) => quantile(share),
        }
    }
}

/// Number, sum, deviation and extremes of the values of all pairs, and what each run has part in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairMoments {
    of_pairs: Moments,
    n_undefined: u64,
    /// For each run the sum of its pairs' defined values, and their number.
    of_runs: Vec<(ExactSum, u64)>,
}

impl PairMoments {
    pub(crate) fn new(n_runs: usize) -> Self {
        Self {
            of_pairs: Moments::new(),
            n_undefined: 0,
            of_runs: vec![(ExactSum::new(), 0); n_runs],
        }
    }

    pub(crate) fn update(&mut self, first: usize, second: usize, value: Option<f64>) {
        let Some(value) = value else {
            self.n_undefined += 1;
            return;
        };
        self.of_pairs.add(value);
        for run in [first, second] {
            self.of_runs[run].0.add(value);
            self.of_runs[run].1 += 1;
        }
    }

    /// Adds another, whose runs are these.
    pub(crate) fn merge(&mut self, other: &Self, runs: impl Iterator<Item = usize>) {
        self.of_pairs.merge(&other.of_pairs);
        self.n_undefined += other.n_undefined;
        for (run, theirs) in runs.zip(&other.of_runs) {
            let mine = &mut self.of_runs[run];
            mine.0.add_sum(&theirs.0);
            mine.1 += theirs.1;
        }
    }

    /// The summary, without quantiles.
    pub(crate) fn summary(&self) -> Summary {
        let count = |n| usize::try_from(n).unwrap_or(usize::MAX);
        Summary {
            n_defined: count(self.of_pairs.count()),
            n_undefined: count(self.n_undefined),
            mean: self.of_pairs.mean(),
            std: self.of_pairs.std(),
            min: self.of_pairs.min(),
            max: self.of_pairs.max(),
            ..Summary::default()
        }
    }

    /// The means without each run; `None` when some run has part in every defined pair.
    fn leave_one_out(&self) -> Option<Vec<f64>> {
        let without = |(with, n_with): &(ExactSum, u64)| {
            let n = self.of_pairs.count().checked_sub(*n_with);
            let n = n.filter(|&n| n > 0)?;
            let mut rest: ExactSum = with.parts().into_iter().map(|part| -part).collect();
            rest.add_sum(self.of_pairs.sum());
            Some(rest.value() / n as f64)
        };
        self.of_runs.iter().map(without).collect()
    }

    /// The jackknife interval of the mean; `None` below three runs, or when some run has part in
    /// every defined pair.
    pub(crate) fn interval(&self, level: f64) -> Result<Option<Interval>> {
        match (self.of_pairs.mean(), self.leave_one_out()) {
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
        let pairs = PairValues::new(3, &[Some(1.0), Some(2.0), Some(6.0)]);
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
