//! The mean of values in any order.

use super::exact_sum::ExactSum;
use crate::accumulator::Accumulator;
use crate::error::{Error, Result};
use crate::input;
use crate::number::Real;

/// The mean over an [`ExactSum`]: one rounding for the sum, one for the division.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExactMean {
    sum: ExactSum,
    count: u64,
}

impl ExactMean {
    /// A mean of nothing yet.
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

    /// The number of values so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of the values so far.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.sum.value()
    }

    /// The mean, `None` without values.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.value() / self.count as f64)
    }

    /// Adds all values of another mean.
    pub fn add_mean(&mut self, other: &Self) {
        self.sum.add_sum(&other.sum);
        self.count = self.count.saturating_add(other.count);
    }
}

impl<T: Real> Extend<T> for ExactMean {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.add(value);
        }
    }
}

impl<T: Real> FromIterator<T> for ExactMean {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut mean = Self::new();
        mean.extend(values);
        mean
    }
}

impl Accumulator for ExactMean {
    type Batch<'a> = &'a [f64];
    type Output = f64;

    fn update(&mut self, batch: &[f64]) -> Result<()> {
        self.extend(batch.iter().copied());
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
    use crate::error::ErrorKind;

    #[test]
    fn a_mean_of_nothing_is_an_error() {
        let error = ExactMean::new().finish().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Empty));
        assert_eq!(error.input(), input::VALUES);
    }
}
