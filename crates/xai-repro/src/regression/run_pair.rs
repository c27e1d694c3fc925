//! Two runs' numeric predictions, and what several metrics take of them.

use std::cell::OnceCell;

use xai_core::statistics::{Centred, Covariance};

/// What is known of a run by itself, over the same samples for all runs.
pub(super) struct Run {
    pub(super) predictions: Vec<f64>,
    /// Targets less predictions.
    pub(super) residuals: Vec<f64>,
    pub(super) centred: Centred,
}

/// Two runs, and what is computed of them when the first metric asks for it.
pub(super) struct RunPair<'a> {
    pub(super) first: &'a Run,
    pub(super) second: &'a Run,
    residual_ratios: OnceCell<ResidualRatios>,
    covariance: OnceCell<Covariance<'a>>,
}

impl<'a> RunPair<'a> {
    pub(super) fn new(first: &'a Run, second: &'a Run) -> Self {
        Self {
            first,
            second,
            residual_ratios: OnceCell::new(),
            covariance: OnceCell::new(),
        }
    }

    /// How alike the residuals are in size.
    pub(super) fn residual_ratios(&self) -> &ResidualRatios {
        let (first, second) = (&self.first.residuals, &self.second.residuals);
        self.residual_ratios
            .get_or_init(|| ResidualRatios::new(first, second))
    }

    /// The covariance of the predictions.
    pub(super) fn covariance(&self) -> Covariance<'a> {
        let (first, second) = (&self.first.centred, &self.second.centred);
        *self.covariance.get_or_init(|| first.covariance(second))
    }
}

/// Means over the samples, all from one pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ResidualRatios {
    pub(super) ratio: f64,
    pub(super) signed_ratio: f64,
    pub(super) difference: f64,
    pub(super) signed_difference: f64,
}

impl ResidualRatios {
    /// Of two runs' residuals, at least one sample.
    pub(super) fn new(first: &[f64], second: &[f64]) -> Self {
        let mut sums = [(); 4].map(|()| ShareSum::default());
        for (&a, &b) in first.iter().zip(second) {
            let (low, high) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
            if high == 0.0 {
                // Both right: as consistent as can be, in either direction.
                sums[0].add(1.0);
                sums[1].add(1.0);
                continue;
            }
            // The product itself could underflow.
            let sign = match (a == 0.0 || b == 0.0, (a > 0.0) == (b > 0.0)) {
                (true, _) => 0.0,
                (false, true) => 1.0,
                (false, false) => -1.0,
            };
            let ratio = low / high;
            let difference = (high - low) / (high + low);
            sums[0].add(ratio);
            sums[1].add(sign * ratio);
            sums[2].add(difference);
            sums[3].add(sign * difference);
        }
        let [ratio, signed_ratio, difference, signed_difference] =
            sums.map(|sum| sum.mean(first.len()));
        Self {
            ratio,
            signed_ratio,
            difference,
            signed_difference,
        }
    }
}

/// Shares in [−1, 1], added as integers of 2⁻⁶²: their order does not show.
#[derive(Default)]
struct ShareSum(i128);

impl ShareSum {
    const ONE: f64 = (1u64 << 62) as f64;

    #[inline]
    fn add(&mut self, share: f64) {
        self.0 += i128::from((share * Self::ONE) as i64);
    }

    fn mean(&self, n: usize) -> f64 {
        self.0 as f64 / Self::ONE / n as f64
    }
}
