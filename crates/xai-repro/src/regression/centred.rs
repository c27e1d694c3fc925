//! Predictions around their mean.

use xai_core::ExactSum;

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
