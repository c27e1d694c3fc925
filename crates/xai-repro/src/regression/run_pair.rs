//! Pairs of runs with numeric predictions, and intermediate results that several metrics use.

use std::cell::OnceCell;

use xai_core::statistics::{Centred, Covariance};

/// Numeric predictions of one run and what is derived from them.
pub(super) struct Run {
    pub(super) predictions: Vec<f64>,
    /// Targets minus predictions.
    pub(super) residuals: Vec<f64>,
    /// Predictions minus their mean.
    pub(super) centred: Centred,
}

/// Two runs, with intermediate results that are computed when a metric first needs them.
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

    pub(super) fn residual_ratios(&self) -> &ResidualRatios {
        let (first, second) = (&self.first.residuals, &self.second.residuals);
        self.residual_ratios
            .get_or_init(|| ResidualRatios::new(first, second))
    }

    /// Covariance of the predictions.
    pub(super) fn covariance(&self) -> Covariance<'a> {
        let (first, second) = (&self.first.centred, &self.second.centred);
        *self.covariance.get_or_init(|| first.covariance(second))
    }
}

/// Mean ratios and relative differences of the residuals of two runs, from one pass over the samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ResidualRatios {
    pub(super) ratio: f64,
    pub(super) signed_ratio: f64,
    pub(super) difference: f64,
    pub(super) signed_difference: f64,
}

impl ResidualRatios {
    /// Compares the residuals of two runs for at least one sample.
    pub(super) fn new(first: &[f64], second: &[f64]) -> Self {
        let mut sums = [(); 4].map(|()| ShareSum::default());
        for (&a, &b) in first.iter().zip(second) {
            let (low, high) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
            if high == 0.0 {
                // 0/0. Two runs that are both right are fully consistent: ratios 1, differences 0.
                sums[0].add(1.0);
                sums[1].add(1.0);
                continue;
            }
            // The sign of a·b, without the product, which could underflow to 0.
            let sign = if a == 0.0 || b == 0.0 {
                0.0
            } else if (a > 0.0) == (b > 0.0) {
                1.0
            } else {
                -1.0
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

/// Sum of values in [−1, 1] as an integer multiple of 2⁻⁶², which does not depend on the order of the terms. Each term
/// is rounded by less than 2⁻⁶².
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
