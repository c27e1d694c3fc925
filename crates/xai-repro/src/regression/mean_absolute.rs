//! The mean of magnitudes.

use xai_core::ExactSum;

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
