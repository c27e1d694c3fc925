//! Values minus their mean, for standard deviations and correlations.

use crate::sum::ExactSum;

/// Finite values minus their mean. Gives their standard deviation, and correlations with other
/// values.
///
/// The rounding error of the mean, which far from 0 is larger than the deviations, is subtracted
/// too, so each deviation has a relative error of at most `2^-52`. Deviations are in units of a
/// power of two, in which squares neither overflow nor underflow, and are added exactly. So the
/// order of the values does not matter.
///
/// ```
/// use xai_core::statistics::Centred;
/// let (near, far) = (Centred::new(&[1.0, 2.0, 3.0]), Centred::new(&[1e9, 1e9 + 1.0, 1e9 + 2.0]));
/// assert_eq!((near.std(), far.std()), (Some(1.0), Some(1.0)));
/// assert_eq!(near.covariance(&far).pearson(), Some(1.0));
/// assert!(near.covariance(&far).concordance() < Some(1e-17)); // on a rising line, but not on that of equal values
/// ```
#[derive(Debug, Clone)]
pub struct Centred {
    /// Deviations in units of `2^exponent`.
    deviations: Vec<f64>,
    exponent: i32,
    /// Sum of the squared deviations, in squared units.
    squares: f64,
    /// Sum of the values, in their own unit.
    sum: ExactSum,
}

impl Centred {
    /// Centres finite values.
    #[must_use]
    pub fn new(values: &[f64]) -> Self {
        let sum: ExactSum = values.iter().copied().collect();
        let exponent = exponent(largest(values));
        let unit = 2f64.powi(-exponent);
        let mut deviations: Vec<f64> = values.iter().map(|value| value * unit).collect();
        // The mean of equal values may round to another number.
        if values.iter().all(|value| *value == values[0]) {
            deviations.fill(0.0);
        }
        // The first pass leaves the rounding error of the mean in every deviation, the second pass
        // subtracts it.
        for pass in 0..2 {
            let mean = sum_of(deviations.iter().copied()).mean(values.len() as u64);
            if pass == 0 || mean.abs() > f64::EPSILON * largest(&deviations) {
                deviations.iter_mut().for_each(|value| *value -= mean);
            }
        }
        Self {
            squares: products(&deviations, &deviations),
            deviations,
            exponent,
            sum,
        }
    }

    /// Sample standard deviation (ddof 1), within 4 units in the last place. `None` for fewer than
    /// two values, or if it exceeds the range of `f64`.
    #[must_use]
    pub fn std(&self) -> Option<f64> {
        let freedom = self.deviations.len().checked_sub(1)?;
        // NaN for one value, from 0/0.
        let std = (self.squares / freedom as f64).sqrt() * 2f64.powi(self.exponent);
        std.is_finite().then_some(std)
    }

    /// Deviations in units of a power of two.
    pub(crate) fn into_deviations(self) -> Vec<f64> {
        self.deviations
    }

    /// Skewness term of the BCa interval, `Σ (x̄ − x)³ / (Σ (x̄ − x)²)^(3/2)`; 0 for a constant.
    pub(super) fn skew(&self) -> f64 {
        let cubes = sum_of(self.deviations.iter().map(|x| -x * x * x)).value();
        if self.squares > 0.0 {
            cubes / (self.squares * self.squares.sqrt())
        } else {
            0.0
        }
    }

    /// Covariance with another sequence of equal length.
    #[must_use]
    pub fn covariance<'a>(&'a self, other: &'a Self) -> Covariance<'a> {
        debug_assert_eq!(self.deviations.len(), other.deviations.len());
        Covariance {
            x: self,
            y: other,
            products: products(&self.deviations, &other.deviations),
        }
    }
}

/// Covariance of two sequences of equal length, created by [`Centred::covariance`].
#[derive(Debug, Clone, Copy)]
pub struct Covariance<'a> {
    x: &'a Centred,
    y: &'a Centred,
    /// Sum of the products of deviations, in the product of both units.
    products: f64,
}

impl Covariance<'_> {
    /// Sample covariance `Σ (x − x̄)(y − ȳ) / (n − 1)`, with an error of at most 6 · 2⁻⁵³ times the
    /// product of both standard deviations. NaN for one value, 0 without values, and infinite
    /// beyond the range of `f64`.
    #[must_use]
    pub fn value(self) -> f64 {
        let freedom = self.x.deviations.len() as f64 - 1.0;
        self.products / freedom * 2f64.powi(self.x.exponent) * 2f64.powi(self.y.exponent)
    }

    /// Pearson's correlation, as computed by [`pearson`](super::pearson).
    #[must_use]
    pub fn pearson(self) -> Option<f64> {
        let spreads = (self.x.squares, self.y.squares);
        if !(spreads.0 > 0.0 && spreads.1 > 0.0) {
            return None;
        }
        // Two points always lie on a line. The quotient below may differ from ±1 by one unit in the
        // last place.
        if let ([x, _], [y, _]) = (&self.x.deviations[..], &self.y.deviations[..]) {
            return Some(x.signum() * y.signum());
        }
        let correlation = self.products / (spreads.0 * spreads.1).sqrt();
        Some(correlation.clamp(-1.0, 1.0))
    }

    /// Lin's concordance correlation coefficient: agreement with the line of equality.
    ///
    /// ```text
    /// 2 s_xy / (s_x² + s_y² + (x̄ − ȳ)²)
    /// ```
    ///
    /// In [−1, 1]: 1 = equal values, −1 = opposite deviations with equal means and spreads. `None`
    /// for two equal constants, and without values. The error is at most 16 · 2⁻⁵³, also for values
    /// far from 0.
    ///
    /// # Source
    /// Lin, *A concordance correlation coefficient to evaluate reproducibility*, 1989.
    #[must_use]
    pub fn concordance(self) -> Option<f64> {
        let n = self.x.deviations.len();
        // The difference of the means is taken from the exact sums: the difference of rounded means
        // would cancel. All terms are converted to the larger of both units, so that none
        // overflows.
        let mut difference = self.x.sum.clone();
        difference.add_sum(&-self.y.sum.clone());
        let common = self.x.exponent.max(self.y.exponent);
        let shift = difference.mean_in_units_of(n.max(1) as u64, common);
        let scale = |values: &Centred| 2f64.powi(values.exponent - common);
        let (x, y) = (scale(self.x), scale(self.y));
        let denominator =
            self.x.squares * x * x + self.y.squares * y * y + n as f64 * shift * shift;
        let concordance = 2.0 * self.products * x * y / denominator;
        (denominator > 0.0).then(|| concordance.clamp(-1.0, 1.0))
    }
}

/// Exponent of the power of two near a magnitude, clamped so that this power and its reciprocal are
/// finite.
pub(super) fn exponent(size: f64) -> i32 {
    ((size.to_bits() >> 52) as i32 - 1023).clamp(-1000, 1000)
}

/// Largest magnitude of the values, 0 without values.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| value.abs().max(most))
}

fn sum_of(values: impl Iterator<Item = f64>) -> ExactSum {
    values.collect()
}

/// Sum of products `Σ a b`, added exactly.
fn products(a: &[f64], b: &[f64]) -> f64 {
    sum_of(a.iter().zip(b).map(|(a, b)| a * b)).value()
}
