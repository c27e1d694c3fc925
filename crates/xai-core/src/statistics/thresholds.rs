//! What scores say of two kinds at every threshold.

use crate::Real;
use crate::statistics::ranks::for_each_tie;

/// The values at or above a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdPoint {
    /// The threshold.
    pub value: f64,
    /// How many values are at or above it, at least 1.
    pub n: usize,
    /// How many of them are of the second kind.
    pub n_second: usize,
}

impl ThresholdPoint {
    /// The share of the second kind among the values at or above.
    #[must_use]
    pub fn precision(&self) -> f64 {
        self.n_second as f64 / self.n as f64
    }
}

/// What is at or above each of the different values, ascending. Values are finite, one flag each.
///
/// ```
/// use xai_core::statistics::{ThresholdPoint, thresholds};
/// let of = thresholds(&[0.8, 0.2, 0.8], &[true, true, false]);
/// assert_eq!(of[0], ThresholdPoint { value: 0.2, n: 3, n_second: 2 });
/// assert_eq!(of[1], ThresholdPoint { value: 0.8, n: 2, n_second: 1 });
/// assert_eq!(of[1].precision(), 0.5);
/// ```
#[must_use]
pub fn thresholds<T: Real>(values: &[T], is_second: &[bool]) -> Vec<ThresholdPoint> {
    let mut n_second = is_second.iter().filter(|&&second| second).count();
    let mut thresholds = Vec::new();
    for_each_tie(values, |below, ties| {
        thresholds.push(ThresholdPoint {
            value: values[ties[0]].to_f64_exact(),
            n: values.len() - below,
            n_second,
        });
        n_second -= ties.iter().filter(|&&i| is_second[i]).count();
    });
    thresholds
}
