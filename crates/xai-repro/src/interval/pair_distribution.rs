//! The values of one metric on all pairs of runs.

use xai_core::describe::Parameters;
use xai_core::{Error, Interval, Result, Summary};

use crate::counting::pairs::pairs;
use crate::input;
use crate::interval::pair_moments::PairMoments;
use crate::interval::pair_values::{PairStatistic, PairValues};
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
    /// [`TooFew`](xai_core::ErrorKind::TooFew) below two runs,
    /// [`ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) for another number of values, and
    /// [`NonFinite`](xai_core::ErrorKind::NonFinite).
    pub fn new(n_runs: usize, values: &'a [Option<f64>]) -> Result<Self> {
        if n_runs < 2 {
            return Err(Error::too_few(input::RUNS, 2, n_runs));
        }
        let expected = n_runs.saturating_mul(n_runs - 1) / 2;
        if values.len() != expected {
            return Err(Error::shape(input::PAIRS, &[expected], &[values.len()]));
        }
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
        let quantiles = Summary::of(self.values.iter().copied()).unwrap_or_default();
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
    /// [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a level outside (0, 1).
    pub fn interval_of_mean(&self, level: f64) -> Result<Option<Interval>> {
        self.moments().interval(level)
    }

    /// An interval over *runs* for any statistic of the values; `None` below three runs, and where the
    /// statistic is undefined for all runs or without one of them.
    ///
    /// # Errors
    /// [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a level outside (0, 1), a quantile
    /// outside [0, 1], or no replicates.
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
