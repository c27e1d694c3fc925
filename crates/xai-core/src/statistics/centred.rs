//! Values less their mean, and what is read off them.

use crate::sum::ExactSum;

/// Finite values less their mean: standard deviation, and correlations with other values of the same number.
///
/// The mean is rounded, which far from 0 is more than the deviations are; what rounding took is taken off
/// the deviations, so that each is within `2^-52` of itself. They are in units of a power of two, in which squares
/// neither overflow nor vanish, and are added exactly: the order of the values does not show.
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
    /// In units of `2^exponent`.
    deviations: Vec<f64>,
    exponent: i32,
    /// The sum of their squares.
    squares: f64,
    /// Of the values.
    sum: ExactSum,
}

impl Centred {
    /// Of finite values.
    #[must_use]
    pub fn new(values: &[f64]) -> Self {
        let sum: ExactSum = values.iter().copied().collect();
        let exponent = exponent(largest(values));
        let unit = 2f64.powi(-exponent);
        let mut deviations: Vec<f64> = values.iter().map(|value| value * unit).collect();
        // Those of a constant are 0, whatever its mean rounds to.
        if values.iter().all(|value| *value == values[0]) {
            deviations.fill(0.0);
        }
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

    /// The standard deviation, with `n − 1` (ddof 1), within 4 units in the last place. `None` below two values, or
    /// where it is beyond the range of `f64`.
    #[must_use]
    pub fn std(&self) -> Option<f64> {
        let freedom = self.deviations.len().checked_sub(1)?;
        // Of one value 0/0, which is no number.
        let std = (self.squares / freedom as f64).sqrt() * 2f64.powi(self.exponent);
        std.is_finite().then_some(std)
    }

    /// The deviations, in units of a power of two.
    pub(crate) fn into_deviations(self) -> Vec<f64> {
        self.deviations
    }

    /// `Σ (x̄ − x)³ / (Σ (x̄ − x)²)^(3/2)`, 0 for a constant.
    pub(super) fn skew(&self) -> f64 {
        let cubes = sum_of(self.deviations.iter().map(|x| -x * x * x)).value();
        match self.squares > 0.0 {
            true => cubes / (self.squares * self.squares.sqrt()),
            false => 0.0,
        }
    }

    /// The covariance with as many other values.
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

/// Two sequences of as many values, and the sum of the products of their deviations: made by [`Centred::covariance`].
#[derive(Debug, Clone, Copy)]
pub struct Covariance<'a> {
    x: &'a Centred,
    y: &'a Centred,
    /// In the units of both.
    products: f64,
}

impl Covariance<'_> {
    /// `Σ (x − x̄)(y − ȳ) / (n − 1)`, within 6 · 2⁻⁵³ of the product of both standard deviations; not finite below two
    /// values, or beyond the range of `f64`.
    #[must_use]
    pub fn value(self) -> f64 {
        let freedom = self.x.deviations.len() as f64 - 1.0;
        self.products / freedom * 2f64.powi(self.x.exponent) * 2f64.powi(self.y.exponent)
    }

    /// Pearson's correlation: what [`pearson`](super::pearson) is.
    #[must_use]
    pub fn pearson(self) -> Option<f64> {
        let spreads = (self.x.squares, self.y.squares);
        if !(spreads.0 > 0.0 && spreads.1 > 0.0) {
            return None;
        }
        // Any two points are on a line; the quotient below may miss it by one unit in the last place.
        if let ([x, _], [y, _]) = (&self.x.deviations[..], &self.y.deviations[..]) {
            return Some(x.signum() * y.signum());
        }
        let correlation = self.products / (spreads.0 * spreads.1).sqrt();
        Some(correlation.clamp(-1.0, 1.0))
    }

    /// Lin's concordance correlation: how near are both to the line of equality?
    ///
    /// ```text
    /// 2 s_xy / (s_x² + s_y² + (x̄ − ȳ)²)
    /// ```
    ///
    /// In [−1, 1]: 1 = the same values, −1 = opposite ones. `None` for two equal constants, and without values. Within
    /// 16 · 2⁻⁵³ of the true value wherever the values lie.
    ///
    /// # Source
    /// Lin, *A concordance correlation coefficient to evaluate reproducibility*, 1989.
    #[must_use]
    pub fn concordance(self) -> Option<f64> {
        let n = self.x.deviations.len();
        let mut difference = self.x.sum.clone();
        difference.add_sum(&-self.y.sum.clone());
        let common = self.x.exponent.max(self.y.exponent);
        let shift = difference.mean_in_units_of(n.max(1) as u64, common);
        let unit = |of: &Centred| 2f64.powi(of.exponent - common);
        let (x, y) = (unit(self.x), unit(self.y));
        let room = self.x.squares * x * x + self.y.squares * y * y + n as f64 * shift * shift;
        let concordance = 2.0 * self.products * x * y / room;
        (room > 0.0).then(|| concordance.clamp(-1.0, 1.0))
    }
}

/// The power of two near a size, so that 2 to the power of it and its reciprocal are finite.
pub(super) fn exponent(size: f64) -> i32 {
    ((size.to_bits() >> 52) as i32 - 1023).clamp(-1000, 1000)
}

pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| value.abs().max(most))
}

fn sum_of(values: impl Iterator<Item = f64>) -> ExactSum {
    values.collect()
}

/// `Σ a b`
fn products(a: &[f64], b: &[f64]) -> f64 {
    sum_of(a.iter().zip(b).map(|(a, b)| a * b)).value()
}
