//! Two runs' numeric predictions, and what several metrics take of them.

use std::cell::OnceCell;

use xai_core::ExactSum;

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
    covariance: OnceCell<f64>,
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

    pub(super) fn n_samples(&self) -> usize {
        self.first.predictions.len()
    }

    /// How alike the residuals are in size.
    pub(super) fn residual_ratios(&self) -> &ResidualRatios {
        let (first, second) = (&self.first.residuals, &self.second.residuals);
        self.residual_ratios
            .get_or_init(|| ResidualRatios::new(first, second))
    }

    /// The sum of the products of the predictions' deviations, in the units of both.
    pub(super) fn covariance(&self) -> f64 {
        let (first, second) = (&self.first.centred, &self.second.centred);
        *self
            .covariance
            .get_or_init(|| products(&first.deviations, &second.deviations))
    }
}

/// A run's predictions around their mean, in units in which squares neither overflow nor vanish.
pub(super) struct Centred {
    pub(super) mean: f64,
    /// What the mean lost in rounding, where it shows in the deviations.
    pub(super) rest: f64,
    /// In units of `2^exponent`, the size of the largest.
    pub(super) deviations: Vec<f64>,
    pub(super) exponent: i32,
    /// The sum of their squares, in those units.
    pub(super) squares: f64,
}

impl Centred {
    /// Of at least one value.
    pub(super) fn new(values: &[f64]) -> Self {
        let sum: ExactSum = values.iter().copied().collect();
        let constant = values.iter().all(|x| *x == values[0]);
        // The mean of a constant is that constant, whatever the division rounds to.
        let mean = if constant {
            values[0]
        } else {
            sum.value() / values.len() as f64
        };
        let mut deviations: Vec<f64> = values.iter().map(|x| x - mean).collect();
        let size = |deviations: &[f64]| deviations.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        // Far from 0 the mean is rounded by more than deviations are: what they have of that is taken off again.
        let rest = deviations.iter().copied().collect::<ExactSum>().value() / values.len() as f64;
        let shows = rest.is_finite() && rest.abs() > f64::EPSILON * size(&deviations);
        let rest = if shows { rest } else { 0.0 };
        if shows {
            deviations.iter_mut().for_each(|x| *x -= rest);
        }
        let largest = size(&deviations);
        let exponent = exponent(largest);
        let unit = 2f64.powi(-exponent);
        deviations.iter_mut().for_each(|x| *x *= unit);
        Self {
            mean,
            rest,
            squares: products(&deviations, &deviations),
            deviations,
            exponent,
        }
    }
}

/// The power of two near a size, within a range whose reciprocal is finite; 0 for no size.
pub(super) fn exponent(size: f64) -> i32 {
    if size > 0.0 {
        size.log2().floor().clamp(-1000.0, 1000.0) as i32
    } else {
        0
    }
}

/// `Σ a b`
pub(super) fn products(a: &[f64], b: &[f64]) -> f64 {
    let products = a.iter().zip(b).map(|(a, b)| a * b);
    products.collect::<ExactSum>().value()
}

/// `Σ |x| / n` of `n` values, at least one.
pub(super) fn mean_absolute(values: impl Iterator<Item = f64> + Clone, n: usize) -> f64 {
    let sum = |scale: f64| -> f64 {
        let terms = values.clone().map(|x| x.abs() * scale);
        terms.collect::<ExactSum>().value()
    };
    match sum(1.0) {
        sum if sum.is_finite() => sum / n as f64,
        // The sum is beyond the range of f64, their mean is not.
        _ => sum(2f64.powi(-64)) / n as f64 * 2f64.powi(64),
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
