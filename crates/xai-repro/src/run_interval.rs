//! Intervals over runs.
//!
//! Runs are what was drawn independently; pairs share them. So a run is left out, or drawn again, with
//! all its pairs.

use xai_core::{Interval, Result, bootstrap_bca, bootstrap_replicates, jackknife};

/// A statistic of the values that pairs of runs have.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum PairStatistic {
    /// The mean.
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
    Quantile(f64),
}

/// How an interval over runs is made.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PairMetric, PairStatistic, PairwiseReproducibility, RunInterval};
/// let predictions = array![[0, 1, 0, 1, 1], [0, 0, 0, 0, 1], [0, 1, 1, 1, 1], [1, 1, 0, 1, 0]];
/// let runs = PairwiseReproducibility::from_predictions(predictions.view(), &[0, 1, 1, 0, 1])?;
/// let bca = RunInterval::Bca { n_replicates: 999, seed: 1 };
/// let interval = runs.interval_of(PairMetric::PaAcc, PairStatistic::Mean, bca, 0.95)?.unwrap();
/// let mean = runs.summary(PairMetric::PaAcc).mean.unwrap();
/// assert!(interval.low < mean && mean < interval.high);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum RunInterval {
    /// The estimate ± Student's t times the jackknife's standard error. For statistics that are smooth
    /// in the values: means and deviations, not extremes.
    Jackknife,
    /// The bias-corrected and accelerated bootstrap. A pair of a run with a copy of itself would be
    /// perfectly consistent by construction, so such pairs are left out of a replicate.
    Bca {
        /// The number of replicates; 999 and more for a level of 0.95.
        n_replicates: usize,
        /// The seed of the replicates.
        seed: u64,
    },
}

/// The interval of a statistic of `k` runs, given how often each run is taken. `None` below three
/// runs, and where the statistic is undefined for all runs or without one of them.
pub(crate) fn interval_over_runs(
    k: usize,
    method: RunInterval,
    level: f64,
    statistic: impl Fn(&[u32]) -> Option<f64> + Sync + Send,
) -> Result<Option<Interval>> {
    let mut times = vec![1; k];
    let Some(estimate) = statistic(&times).filter(|_| k > 2) else {
        return Ok(None);
    };
    let mut leave_one_out = Vec::with_capacity(k);
    for run in 0..k {
        times[run] = 0;
        let Some(without) = statistic(&times) else {
            return Ok(None);
        };
        leave_one_out.push(without);
        times[run] = 1;
    }
    match method {
        RunInterval::Jackknife => jackknife(estimate, &leave_one_out, level).map(Some),
        RunInterval::Bca { n_replicates, seed } => {
            let replicates = bootstrap_replicates(k, n_replicates, seed, |runs| {
                let mut times = vec![0; k];
                for &run in runs {
                    times[run] += 1;
                }
                statistic(&times)
            })?;
            if replicates.len() < 2 {
                return Ok(None);
            }
            bootstrap_bca(estimate, &replicates, &leave_one_out, level).map(Some)
        }
    }
}

/// Values of pairs, ready to be taken any number of times each.
pub(crate) struct PairValues {
    /// The value of each defined pair and its runs, ascending.
    sorted: Vec<(f64, usize, usize)>,
}

#[allow(clippy::cast_precision_loss)] // fewer pairs than 2^53
impl PairValues {
    /// Of `k` runs, pairs in order.
    pub(crate) fn new(k: usize, values: &[Option<f64>]) -> Self {
        let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
        let mut sorted: Vec<_> = pairs
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
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
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

impl PairStatistic {
    /// Checks the share of a quantile.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Quantile(share) if !(0.0..=1.0).contains(&share) => Err(
                xai_core::Error::parameter("quantile", share, "a share in [0, 1]"),
            ),
            _ => Ok(()),
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
