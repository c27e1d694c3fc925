//! Precision and counts of a binary classifier at every threshold.

use crate::Real;
use crate::statistics::ranks::for_each_tie;

/// Counts of the values at or above a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThresholdPoint {
    /// The threshold.
    pub value: f64,
    /// Number of values at or above the threshold, at least 1.
    pub n: usize,
    /// Number of those that belong to the second class.
    pub n_second: usize,
}

impl ThresholdPoint {
    /// Share of the second class among the values at or above the threshold.
    #[must_use]
    pub fn precision(&self) -> f64 {
        self.n_second as f64 / self.n as f64
    }
}

/// Counts at each distinct value as a threshold, in ascending order. Values must be finite, with
/// one flag each.
///
/// ```
/// use xai_core::statistics::{ThresholdPoint, thresholds};
/// let points = thresholds(&[0.8, 0.2, 0.8], &[true, true, false]);
/// assert_eq!(points[0], ThresholdPoint { value: 0.2, n: 3, n_second: 2 });
/// assert_eq!(points[1], ThresholdPoint { value: 0.8, n: 2, n_second: 1 });
/// assert_eq!(points[1].precision(), 0.5);
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
