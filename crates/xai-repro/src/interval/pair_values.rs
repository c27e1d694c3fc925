//! Statistics of the values of pairs, each run taken any number of times.

use xai_core::Result;
use xai_core::describe::{Parameter, refused};

use crate::counting::pairs::pairs;

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
    /// Checks the share of a quantile.
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
