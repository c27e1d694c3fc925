//! Pearson's correlation, and the choice between correlations.

use std::fmt;

use crate::describe::{Parameter, word_of};
use crate::error::Result;
use crate::number::Real;
use crate::statistics::centred::Centred;
use crate::statistics::kendall::kendall_finite;
use crate::statistics::ranks::{check_pairs, spearman_finite};

/// Pearson's correlation `Σ (x − x̄)(y − ȳ) / √(Σ (x − x̄)² Σ (y − ȳ)²)`.
///
/// In [−1, 1]: 1 = on a rising line, 0 = uncorrelated, −1 = on a falling line. `None` for fewer
/// than two values or if either side is constant. The error is at most 12 · 2⁻⁵³, also for values
/// far from 0; for two values the result is exactly 1 or −1.
///
/// # Errors
/// `ShapeMismatch` if the lengths differ, `NonFinite` for a value.
///
/// ```
/// use xai_core::statistics::pearson;
/// assert_eq!(pearson(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0])?, Some(1.0));
/// assert_eq!(pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 1.0])?, Some(0.0));
/// assert_eq!(pearson(&[1.0, 1.0], &[1.0, 2.0])?, None);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Pearson, *Note on regression and inheritance in the case of two parents*, 1895.
pub fn pearson<T: Real>(x: &[T], y: &[T]) -> Result<Option<f64>> {
    check_pairs(x, y)?;
    let widen = |values: &[T]| {
        values
            .iter()
            .map(|v| v.to_f64_exact())
            .collect::<Vec<f64>>()
    };
    Ok(pearson_finite(&widen(x), &widen(y)))
}

/// [`pearson`] for finite values of equal length.
pub(crate) fn pearson_finite(x: &[f64], y: &[f64]) -> Option<f64> {
    Centred::new(x).covariance(&Centred::new(y)).pearson()
}

/// Correlation coefficient of two sequences, in [−1, 1]. Undefined if either is constant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Correlation {
    /// [Spearman's](super::spearman), the correlation of ranks.
    #[default]
    Spearman,
    /// [Pearson's](super::pearson), the linear correlation of values.
    Pearson,
    /// [Kendall's](super::kendall) τ-b, from the order of pairs.
    Kendall,
}

impl Correlation {
    /// Correlation of finite values of equal length; `None` if either side is constant.
    ///
    /// ```
    /// use xai_core::statistics::Correlation;
    /// let (a, b) = ([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]);
    /// assert_eq!(Correlation::Spearman.correlate_finite(&a, &b), Some(1.0));
    /// assert!(Correlation::Pearson.correlate_finite(&a, &b) < Some(1.0));
    /// ```
    #[must_use]
    pub fn correlate_finite(self, a: &[f64], b: &[f64]) -> Option<f64> {
        match self {
            Self::Spearman => spearman_finite(a, b),
            Self::Pearson => pearson_finite(a, b),
            Self::Kendall => kendall_finite(a, b),
        }
    }
}

impl fmt::Display for Correlation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(word_of(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_far_from_zero_keep_their_correlation() {
        let next = |x: f64| f64::from_bits(x.to_bits() + 1);
        for far in [1e8f64, 1e15, -3e8] {
            let (low, high) = ([far, next(far)], [next(far), far]);
            assert_eq!(pearson(&low, &low).unwrap(), Some(1.0));
            assert_eq!(pearson(&low, &high).unwrap(), Some(-1.0));
        }
        // Multiples of 2⁻¹⁰ are exact at both places.
        let near: Vec<f64> = (0..50).map(|i| f64::from(i * i % 17) / 1024.0).collect();
        let other: Vec<f64> = (0..50).map(|i| f64::from(i * 7 % 23)).collect();
        let far: Vec<f64> = near.iter().map(|x| x + 1e8).collect();
        let [at, beyond] = [&near, &far].map(|x| pearson(x, &other).unwrap().unwrap());
        assert!((at - beyond).abs() < 1e-14, "{at} {beyond}");
    }

    #[test]
    fn the_result_does_not_depend_on_the_unit_of_values() {
        let (x, y) = ([1.0, 2.5, 3.0, -4.0], [0.5, -1.0, 7.0, 2.0]);
        let plain = pearson(&x, &y).unwrap();
        for exponent in [-1000, -600, 600, 1020] {
            let unit = 2f64.powi(exponent);
            let scaled = x.map(|value| value * unit);
            assert_eq!(pearson(&scaled, &y).unwrap(), plain, "2^{exponent}");
            assert_eq!(pearson(&y, &scaled).unwrap(), plain, "2^{exponent}");
        }
    }

    #[test]
    fn bad_input_is_named() {
        let lengths = pearson(&[1.0, 2.0], &[1.0]).unwrap_err();
        assert_eq!(lengths.input(), crate::input::B);
        let nan = pearson(&[1.0, f64::NAN], &[1.0, 2.0]).unwrap_err();
        assert_eq!((nan.input(), nan.index()), (crate::input::A, &[1][..]));
    }
}
