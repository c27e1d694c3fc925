//! Means, standard deviations and extremes of values in any order.

use crate::accumulator::Accumulator;
use crate::error::{Error, Result};
use crate::input;
use crate::number::Real;
use crate::sum::exact_sum::ExactSum;

/// Mergeable state for the mean, the standard deviation and the extremes of values, the same to the
/// last bit in any order.
///
/// ```
/// use xai_core::sum::Moments;
/// let mut moments = Moments::new();
/// for value in [1e9, 1e9 + 1.0, 1e9 + 2.0] {
///     moments.add(value);
/// }
/// assert_eq!(moments.mean(), Some(1e9 + 1.0));
/// assert_eq!(moments.std(), Some(1.0)); // exact, though Σx² and (Σx)²/n agree in 18 digits
/// assert_eq!((moments.min(), moments.max()), (Some(1e9), Some(1e9 + 2.0)));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Moments {
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "crate::stored::bounded_count")
    )]
    count: u64,
    sum: ExactSum,
    /// Sum of the squares, each added together with its rounding error. This makes the deviation
    /// exact without a second pass around the mean.
    squares: ExactSum,
    /// Smallest value. Without values both extremes are 0, not ±∞, which JSON cannot store.
    min: f64,
    max: f64,
}

impl Moments {
    /// Creates a state without values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one value.
    pub fn add(&mut self, value: f64) {
        self.include(value, value);
        self.count += 1;
        self.sum.add(value);
        let (square, error) = exact_product(value, value);
        self.squares.add(square);
        self.squares.add(error);
    }

    /// Adds all values of another state.
    pub fn merge(&mut self, other: &Self) {
        // The extremes of an empty state are placeholders.
        if other.count > 0 {
            self.include(other.min, other.max);
        }
        self.count += other.count;
        self.sum.add_sum(&other.sum);
        self.squares.add_sum(&other.squares);
    }

    /// Extends the extremes by those of further values.
    fn include(&mut self, min: f64, max: f64) {
        (self.min, self.max) = match self.count {
            0 => (min, max),
            _ => (self.min.min(min), self.max.max(max)),
        };
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Sum of the values.
    #[must_use]
    pub fn sum(&self) -> &ExactSum {
        &self.sum
    }

    /// Number of ones if all values are 0 or 1; `None` if there is another value, or no value.
    ///
    /// ```
    /// use xai_core::sum::Moments;
    /// let mut moments = Moments::new();
    /// for value in [1.0, 0.0, 1.0] {
    ///     moments.add(value);
    /// }
    /// assert_eq!(moments.n_ones(), Some(2));
    /// moments.add(0.5);
    /// assert_eq!(moments.n_ones(), None);
    /// ```
    #[must_use]
    pub fn n_ones(&self) -> Option<u64> {
        let within = self.count > 0 && self.min >= 0.0 && self.max <= 1.0;
        // In [0, 1], x² ≤ x with equality only at 0 and 1, so both sums are equal only if all
        // values are 0 or 1.
        (within && self.squares == self.sum).then(|| self.sum.value() as u64)
    }

    /// Mean; `None` without values.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.mean(self.count))
    }

    /// Smallest value; `None` without values.
    #[must_use]
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// Largest value; `None` without values.
    #[must_use]
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// Sample standard deviation (ddof 1), `√((n Σx² − (Σx)²) / (n (n − 1)))`, within 4 units in
    /// the last place.
    ///
    /// The difference is computed exactly, and 0 for equal values of any size. `None` for fewer than
    /// two values, and for different values whose squares leave the range of the exact computation:
    /// if `Σx²` is beyond 1e300 (as for a value beyond 1e150) or `n Σx²` beyond 1e308, or if all
    /// magnitudes are below 1e-120.
    #[must_use]
    pub fn std(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        if self.min == self.max {
            return Some(0.0);
        }
        // Below this size the lowest parts of the products leave the normal range and are no longer exact.
        if self.max.max(-self.min) < 1e-120 {
            return None;
        }
        // n Σx² − (Σx)² cancels for values far from zero, so both terms are expanded into exact
        // products of doubles.
        let n = self.count as f64;
        let mut spread = ExactSum::new();
        let mut add = |a: f64, b: f64| {
            let (product, error) = exact_product(a, b);
            spread.add(product);
            spread.add(error);
        };
        for part in self.squares.parts() {
            add(n, part);
        }
        let sum = self.sum.parts();
        for a in sum {
            for b in sum {
                add(-a, b);
            }
        }
        // NaN or ∞ if the squares or the factors of Dekker's algorithm leave the range of `f64`. Checked
        // here, because `max` below would turn NaN into 0.
        let squares = Some(spread.value()).filter(|squares| squares.is_finite())?;
        Some((squares.max(0.0) / n / (n - 1.0)).sqrt())
    }
}

/// Product of two numbers and its rounding error, by Dekker's algorithm. The error is NaN for a factor
/// beyond 1.3e300. A fused multiply-add would be shorter, but is a library call on processors without
/// the instruction.
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        // Veltkamp's split into two halves of at most 26 bits, whose products are exact.
        let scaled = x * 134_217_729.0; // 2^27 + 1
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    (product, error)
}

/// Mean from an [`ExactSum`], with one rounding for the sum and one for the division.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExactMean {
    sum: ExactSum,
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "crate::stored::bounded_count")
    )]
    count: u64,
}

impl ExactMean {
    /// Creates a mean without values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one value.
    #[inline]
    pub fn add<T: Real>(&mut self, value: T) {
        self.sum.add(value);
        self.count = self.count.saturating_add(1);
    }

    /// Number of values added so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Sum of the values added so far.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.sum.value()
    }

    /// Mean; `None` without values.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.mean(self.count))
    }

    /// Adds all values of another mean.
    pub fn add_mean(&mut self, other: &Self) {
        self.sum.add_sum(&other.sum);
        self.count = self.count.saturating_add(other.count);
    }
}

impl<T: Real> Extend<T> for ExactMean {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let mut n = 0;
        self.sum.extend(values.into_iter().inspect(|_| n += 1));
        self.count = self.count.saturating_add(n);
    }
}

impl Accumulator for ExactMean {
    type Batch<'a> = &'a [f64];
    type Output = f64;

    fn update(&mut self, batch: &[f64]) -> Result<()> {
        self.sum.add_slice(batch);
        self.count = self.count.saturating_add(batch.len() as u64);
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.add_mean(&other);
        Ok(())
    }

    fn finish(&self) -> Result<f64> {
        self.value().ok_or_else(|| Error::empty(input::VALUES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Summary;
    use crate::error::ErrorKind;
    use proptest::prelude::*;

    fn moments(values: &[f64]) -> Moments {
        let mut moments = Moments::new();
        for &value in values {
            moments.add(value);
        }
        moments
    }

    proptest! {
        #[test]
        fn merged_moments_equal_those_of_all_values(
            values in prop::collection::vec(-1.0..1.0f64, 0..60), cut in 0usize..60,
        ) {
            let whole = moments(&values);
            let (left, right) = values.split_at(cut.min(values.len()));
            let mut merged = moments(right);
            merged.merge(&moments(left));
            prop_assert_eq!(&merged, &whole);
            let two_pass = Summary::from_values(values.into_iter().map(Some)).unwrap();
            prop_assert_eq!(whole.count() as usize, two_pass.n_defined);
            prop_assert_eq!((whole.mean(), whole.min(), whole.max()), (two_pass.mean, two_pass.min, two_pass.max));
            match (whole.std(), two_pass.std) {
                (Some(a), Some(b)) => prop_assert!((a - b).abs() <= 1e-14 * b.max(1e-300), "{} {}", a, b),
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn equal_values_have_no_deviation() {
        let same = moments(&[0.1; 1000]);
        assert_eq!((same.std(), same.mean()), (Some(0.0), Some(0.1)));
        assert_eq!(moments(&[1e200, 2e200]).std(), None);
        assert_eq!(moments(&[1e151, 2e151]).std(), None);
        assert!(moments(&[1e149, 2e149]).std().is_some());
    }

    #[test]
    fn a_mean_of_nothing_is_an_error() {
        let error = ExactMean::new().finish().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Empty));
        assert_eq!(error.input(), input::VALUES);
    }
}
