//! The common distances and the trait of all distances.

use std::ops::Range;

use ndarray::ArrayView2;

use crate::describe::{Parameter, word_of};
use crate::distance::mahalanobis::Mahalanobis;
use crate::error::{Error, Help, Input, Result};
use crate::input;
use crate::number::elementary::{exp, ln};
use crate::number::power_of_two;
use crate::parallel;
use crate::simd::{InstructionSet, Simd, SimdKernel};
use crate::tensor::{Rows, check_shape};

/// Distance between two rows of equal length.
///
/// Implemented by [`Distance`] and by every closure `Fn(&[f64], &[f64]) -> f64`. Custom
/// implementations must be symmetric, non-negative and not NaN for the rows they are used with.
///
/// ```
/// use xai_core::distance::DistanceFunction;
/// let first_only = |a: &[f64], b: &[f64]| (a[0] - b[0]).abs();
/// assert_eq!(first_only.distance(&[1.0, 7.0], &[3.0, 9.0]), 2.0);
/// ```
pub trait DistanceFunction: Send + Sync {
    /// Distance between two rows of the same length.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64;
}

impl<F: Fn(&[f64], &[f64]) -> f64 + Send + Sync> DistanceFunction for F {
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        self(a, b)
    }
}

/// Advice for rows for which an angular distance is undefined.
pub const LEAVE_ROW_OUT: Help = Help::new("leave the row out or choose another distance");
/// Advice for values whose sums exceed the range of `f64`.
pub const SCALE_FEATURE_DOWN: Help = Help::new("scale the feature down");

/// Number of rows that one thread prepares at a time.
const PREPARED: usize = 32;

/// Common distances.
///
/// | distance | formula | range |
/// |---|---|---|
/// | `Euclidean` | `√Σ (a_i − b_i)²` | [0, ∞) |
/// | `SquaredEuclidean` | `Σ (a_i − b_i)²` | [0, ∞) |
/// | `Manhattan` | `Σ \|a_i − b_i\|` | [0, ∞) |
/// | `Chebyshev` | `max \|a_i − b_i\|` | [0, ∞) |
/// | `Minkowski(p)` | `(Σ \|a_i − b_i\|^p)^(1/p)`, `p ≥ 1` | [0, ∞) |
/// | `Cosine` | `1 − a·b / (‖a‖ ‖b‖)` | [0, 2] |
/// | `Correlation` | `1 − (a − ā)·(b − b̄) / (‖a − ā‖ ‖b − b̄‖)` | [0, 2] |
/// | `Canberra` | `Σ \|a_i − b_i\| / (\|a_i\| + \|b_i\|)`, `0/0 = 0` | [0, d] |
/// | `BrayCurtis` | `Σ \|a_i − b_i\| / Σ \|a_i + b_i\|`, `0/0 = 0` | [0, ∞], ∞ for opposite rows |
/// | `Hamming` | share of `i` with `a_i ≠ b_i` | [0, 1] |
/// | `Mahalanobis` | `√((a − b)ᵀ C⁻¹ (a − b))` | [0, ∞) |
///
/// Sums use eight interleaved partial sums that are added in a fixed order, so they can be
/// vectorised and have the same bits on every machine. A distance beyond the range of `f64` is ∞.
/// The Euclidean distance is also ∞ if its square overflows, and loses precision below 1e-140,
/// where squares of single differences underflow; `Minkowski(2)` has neither problem. The error of the Mahalanobis
/// distance is up to `4 ε` times the magnitude of the whitened rows, so rows that are far from zero
/// compared with their spread lose digits.
///
/// ```
/// use xai_core::{Distance, distance::DistanceFunction};
/// let (a, b) = ([1.0, 2.0, 3.0], [1.5, 2.5, 3.5]);
/// assert_eq!(Distance::Euclidean.distance(&a, &b), 0.75f64.sqrt());
/// assert_eq!(Distance::Manhattan.distance(&a, &b), 1.5);
/// assert_eq!(Distance::Chebyshev.distance(&a, &b), 0.5);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Distance {
    /// Straight-line distance.
    #[default]
    Euclidean,
    /// Square of the straight-line distance: the same order at a lower cost; the triangle
    /// inequality does not hold.
    #[param(alias = "sqeuclidean")]
    SquaredEuclidean,
    /// City-block distance.
    Manhattan,
    /// Largest difference of any feature.
    Chebyshev,
    /// Family that includes Manhattan (1), Euclidean (2) and Chebyshev (∞).
    #[param(value_name = "P", at_least = 1)]
    Minkowski(f64),
    /// One minus the cosine of the angle, regardless of length. Undefined for a row of zeros.
    Cosine,
    /// One minus Pearson's correlation of the features of two rows, regardless of level and scale.
    /// Undefined for a constant row.
    Correlation,
    /// Sum of relative differences.
    Canberra,
    /// Sum of differences relative to the total.
    #[param(name = "braycurtis", alias = "bray-curtis")]
    BrayCurtis,
    /// Share of features that differ.
    Hamming,
    /// Distance in units of the spread of the data, corrected for correlations.
    #[param(skip)]
    Mahalanobis(Mahalanobis),
}

impl Distance {
    /// Checks the parameter of the distance.
    ///
    /// # Errors
    /// `InvalidParameter` for a Minkowski exponent below 1 or not finite.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Minkowski(p) if !(p.is_finite() && *p >= 1.0) => Err(Error::parameter(
                input::P,
                p,
                "a finite exponent, at least 1",
            )),
            _ => Ok(()),
        }
    }

    /// Checks that the distance is defined for every row of `(n, d)` features.
    ///
    /// # Errors
    /// `OutOfDomain` for the first row of zeros (cosine distance), the first constant row
    /// (correlation distance), or the first element beyond 1e300 (Canberra and Bray–Curtis), with
    /// which sums would overflow. `ShapeMismatch` if the number of features differs from that of a
    /// Mahalanobis covariance.
    pub fn check_rows(&self, rows_of: Input, rows: ArrayView2<'_, f64>) -> Result<()> {
        match self {
            Self::Cosine => {
                let expected = "a row with a direction, which a row of zeros has not";
                no_constant_row(rows_of, rows, expected, |x| x == 0.0)
            }
            Self::Correlation => {
                let expected =
                    "a row whose values differ, as a constant one correlates with nothing";
                no_constant_row(rows_of, rows, expected, |_| true)
            }
            Self::Canberra | Self::BrayCurtis => match rows.iter().position(|x| x.abs() > 1e300) {
                Some(position) => {
                    let at = [position / rows.ncols(), position % rows.ncols()];
                    let expected = "a value up to 1e300, as this distance adds absolute values";
                    let error = Error::out_of_domain(rows_of, &at, rows[at], expected);
                    Err(error.with_help(SCALE_FEATURE_DOWN))
                }
                None => Ok(()),
            },
            Self::Mahalanobis(m) => {
                check_shape(rows_of, &[rows.nrows(), m.n_features()], rows.shape())
            }
            _ => Ok(()),
        }
    }

    /// Applies the part of the distance that concerns single rows, so that it is done once per row
    /// and not for every pair: centring for the correlation distance, whitening for the Mahalanobis
    /// distance. Rows of other distances are returned unchanged.
    ///
    /// [`prepared_distance`](Self::prepared_distance) of prepared rows has the same bits as this
    /// distance of the original rows. Rows that pass [`check_rows`](Self::check_rows) stay finite,
    /// except that whitened ones may overflow.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_core::{Distance, distance::DistanceFunction};
    /// use xai_core::tensor::Rows;
    /// let (rows, by) = (array![[1.0, 2.0, 6.0], [3.0, 1.0, 2.0]], Distance::Correlation);
    /// let prepared = by.prepare(Rows::new(rows.view()));
    /// assert_eq!((prepared.row(0), by.prepared_distance()), (&[-2.0, -1.0, 3.0][..], Distance::Cosine));
    /// let expected = by.distance(&[1.0, 2.0, 6.0], &[3.0, 1.0, 2.0]);
    /// assert_eq!(Distance::Cosine.distance(prepared.row(0), prepared.row(1)), expected);
    /// ```
    #[must_use]
    pub fn prepare<'a>(&self, rows: Rows<'a, f64>) -> Rows<'a, f64> {
        let (n, d) = (rows.n_rows(), rows.n_columns());
        let prepare: &(dyn Fn(&mut [f64]) + Sync) = match self {
            Self::Correlation => &|rows| InstructionSet::fastest().run(Centring { rows, d }),
            Self::Mahalanobis(m) => &|rows| m.whiten(rows),
            _ => return rows,
        };
        let mut values = rows.into_vec();
        parallel::for_each_chunk(&mut values, PREPARED * d, |_, rows| prepare(rows));
        Rows::from_vec(values, n, d)
    }

    /// Returns `true` if [`prepare`](Self::prepare) changes rows.
    #[must_use]
    pub fn needs_preparation(&self) -> bool {
        matches!(self, Self::Correlation | Self::Mahalanobis(_))
    }

    /// Distance for comparing [prepared](Self::prepare) rows.
    #[must_use]
    pub fn prepared_distance(&self) -> Self {
        match self {
            Self::Correlation => Self::Cosine,
            Self::Mahalanobis(_) => Self::Euclidean,
            Self::Minkowski(1.0) => Self::Manhattan,
            _ => self.clone(),
        }
    }
}

impl DistanceFunction for Distance {
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        match self {
            Self::Euclidean => squared_euclidean(a, b).sqrt(),
            Self::SquaredEuclidean => squared_euclidean(a, b),
            Self::Manhattan => sum_lanes(a, b, |x, y| (x - y).abs()),
            Self::Chebyshev => largest_difference(a, b),
            Self::Minkowski(p) => minkowski(a, b, *p),
            Self::Cosine => cosine(a, b),
            Self::Canberra => sum_lanes(a, b, |x, y| {
                let scale = x.abs() + y.abs();
                if scale > 0.0 {
                    (x - y).abs() / scale
                } else {
                    0.0
                }
            }),
            Self::BrayCurtis => {
                let difference = sum_lanes(a, b, |x, y| (x - y).abs());
                let total = sum_lanes(a, b, |x, y| (x + y).abs());
                if difference > 0.0 {
                    difference / total
                } else {
                    0.0
                }
            }
            Self::Hamming => {
                let different = a.iter().zip(b).filter(|(x, y)| x != y).count();
                different as f64 / a.len().max(1) as f64
            }
            Self::Correlation | Self::Mahalanobis(_) => {
                let both = self.prepare(Rows::from_vec([a, b].concat(), 2, a.len()));
                self.prepared_distance().distance(both.row(0), both.row(1))
            }
        }
    }
}

impl std::fmt::Display for Distance {
    /// Writes the name that [`FromStr`](std::str::FromStr) parses. A Mahalanobis distance is
    /// written as `mahalanobis`, which cannot be parsed, because its covariance has no text.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Minkowski(p) => f.pad(&format!("minkowski:{p}")),
            Self::Mahalanobis(_) => f.pad("mahalanobis"),
            _ => f.pad(word_of(self)),
        }
    }
}

/// Returns an error for the first row of equal values for which `undefined` returns `true`.
fn no_constant_row(
    rows_of: Input,
    rows: ArrayView2<'_, f64>,
    expected: &'static str,
    undefined: impl Fn(f64) -> bool,
) -> Result<()> {
    for (index, row) in rows.rows().into_iter().enumerate() {
        let first = row.first().copied().unwrap_or_default();
        if undefined(first) && row.iter().all(|&x| x == first) {
            let error = Error::out_of_domain(rows_of, &[index], first, expected);
            return Err(error.with_help(LEAVE_ROW_OUT));
        }
    }
    Ok(())
}

/// Sums of squares that are exact up to rounding. Below this range single squares may have
/// underflowed.
pub const REGULAR_SQUARES: Range<f64> = 1e-280..f64::INFINITY;

/// Minkowski distance. It is the Manhattan distance for `p = 1`, and the Euclidean distance for `p
/// = 2` unless a square leaves the range of `f64`.
///
/// With `d` features its relative error is at most `(d + 8) ε / p + 4 ε`, `ε = 2⁻⁵²`: a power `t ≤
/// 1` has an error of `2 t |ln t| ε` plus the rounding of the ratio and of `exp`, and the sum of
/// the powers is at least 1.
fn minkowski(a: &[f64], b: &[f64], p: f64) -> f64 {
    if p == 1.0 {
        return Distance::Manhattan.distance(a, b);
    }
    if p == 2.0 {
        let squares = squared_euclidean(a, b);
        if REGULAR_SQUARES.contains(&squares) {
            return squares.sqrt();
        }
    }
    // In units of the largest difference all powers are at most 1, so none overflows.
    let largest = largest_difference(a, b);
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    let unit = largest;
    let powers = InstructionSet::fastest().run(Powers { a, b, unit, p });
    largest * sum_lanes(&powers, &powers, |power, _| power).powf(1.0 / p)
}

/// Euclidean norm.
fn norm(row: &[f64]) -> f64 {
    sum_lanes(row, row, |x, y| x * y).sqrt()
}

/// Cosine distance.
fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let (a_norm, b_norm) = (norm(a), norm(b));
    // Norms for which the squares of the elements neither overflow nor underflow noticeably.
    let regular = |norm: f64| norm > 1e-140 && norm < 1e150;
    if regular(a_norm) && regular(b_norm) {
        let dot = sum_lanes(a, b, |x, y| x * y);
        let cosine = dot / (a_norm * b_norm);
        if cosine.is_finite() {
            return (1.0 - cosine).clamp(0.0, 2.0);
        }
    }
    cosine_of_extremes(a, b)
}

/// Kernel that subtracts the mean of each row of `d` values. Extreme rows are scaled first, so that
/// no sum overflows.
struct Centring<'a> {
    rows: &'a mut [f64],
    d: usize,
}

impl SimdKernel for Centring<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for row in self.rows.chunks_exact_mut(self.d) {
            let largest = largest_size(row);
            if !(1e-250..1e250).contains(&largest) {
                // A power of two, because other divisors would round the differences between the
                // values. The scale does not matter to the correlation.
                let unit = power_of_two(largest);
                row.iter_mut().for_each(|x| *x /= unit);
            }
            // The mean is rounded. For values around a large mean its error may exceed their
            // differences, so a second pass subtracts the mean of the remainders.
            for _ in 0..2 {
                let mean = sum_lanes(row, row, |x, _| x) / row.len() as f64;
                row.iter_mut().for_each(|x| *x -= mean);
            }
        }
    }
}

/// Cosine distance of rows whose squares leave the range of `f64`. Each row is divided by its
/// largest magnitude first, which does not change the angle.
#[cold]
fn cosine_of_extremes(a: &[f64], b: &[f64]) -> f64 {
    let unit = |row: &[f64]| -> Vec<f64> {
        let largest = largest_size(row);
        row.iter().map(|x| x / largest).collect()
    };
    let (a, b) = (unit(a), unit(b));
    let dot = sum_lanes(&a, &b, |x, y| x * y);
    (1.0 - dot / (norm(&a) * norm(&b))).clamp(0.0, 2.0)
}

/// Sum of squared differences `Σ (a_i − b_i)²`, in the summation order of [`Distance`].
#[inline]
#[must_use]
pub fn squared_euclidean(a: &[f64], b: &[f64]) -> f64 {
    sum_lanes(a, b, |x, y| (x - y) * (x - y))
}

/// Largest difference, `max |a_i − b_i|`.
fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    largest_of_lanes(a, b, |x, y| (x - y).abs())
}

/// Largest magnitude, `max |x_i|`.
#[inline(always)]
fn largest_size(row: &[f64]) -> f64 {
    largest_of_lanes(row, row, |x, _| x.abs())
}

/// Largest of the terms `term(a_i, b_i)`, which must be at least 0. A maximum does not depend on
/// the order, so eight lanes are exact.
#[inline(always)]
fn largest_of_lanes(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let ((a_blocks, a_rest), (b_blocks, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..8 {
            let value = term(x[lane], y[lane]);
            lanes[lane] = if value > lanes[lane] {
                value
            } else {
                lanes[lane]
            };
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(x, y)| term(*x, *y));
    rest.chain(lanes).fold(0.0, f64::max)
}

/// Kernel for the powers `(|a_i − b_i| / unit)^p`, computed as `exp(p ln …)`. Each step has its own
/// loop, because that vectorises best.
struct Powers<'a> {
    a: &'a [f64],
    b: &'a [f64],
    unit: f64,
    p: f64,
}

impl SimdKernel for Powers<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<f64> {
        let mut powers = vec![0.0; self.a.len()];
        for ((power, x), y) in powers.iter_mut().zip(self.a).zip(self.b) {
            *power = (x - y).abs() / self.unit;
        }
        for power in &mut powers {
            *power = self.p * ln(*power);
        }
        for power in &mut powers {
            *power = exp(*power);
        }
        powers
    }
}

/// Sum of `term(a_i, b_i)` in eight lanes, which are added in a fixed tree.
#[inline(always)]
fn sum_lanes(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    debug_assert_eq!(a.len(), b.len(), "rows of one length");
    let mut lanes = [0.0; 8];
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..8 {
            lanes[lane] += term(x[lane], y[lane]);
        }
    }
    for (lane, (x, y)) in lanes.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *lane += term(*x, *y);
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7] = lanes;
    ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use approx::assert_relative_eq;
    use ndarray::array;
    use proptest::prelude::*;

    fn distances() -> Vec<Distance> {
        let names = "euclidean squared-euclidean manhattan chebyshev minkowski:1 minkowski:2 minkowski:3 cosine \
                     correlation canberra braycurtis hamming";
        names
            .split_whitespace()
            .map(|name| name.parse().unwrap())
            .collect()
    }

    proptest! {
        #[test]
        fn distances_are_symmetric_and_zero_for_equal_rows(
            pair in prop::collection::vec((0.1..10.0f64, -10.0..-0.1f64), 1..40)
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = pair.into_iter().unzip();
            let rows = ndarray::stack![ndarray::Axis(0), ndarray::aview1(&a), ndarray::aview1(&b)];
            let defined = |d: &Distance| d.check_rows(input::ROWS, rows.view()).is_ok();
            for distance in distances().into_iter().filter(defined) {
                let there = distance.distance(&a, &b);
                prop_assert!(there >= 0.0 && there.is_finite());
                prop_assert_eq!(there.to_bits(), distance.distance(&b, &a).to_bits());
                prop_assert!(distance.distance(&a, &a) < 1e-15, "{:?}", distance);
            }
        }

        #[test]
        fn the_correlation_distance_is_1_less_pearsons_correlation(
            pair in prop::collection::vec((-10.0..10.0f64, -10.0..10.0f64), 2..40),
            level in -1e3..1e3f64, exponent in -900..900i32,
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = pair.into_iter().unzip();
            let distance = Distance::Correlation.distance(&a, &b);
            let correlation = crate::statistics::pearson(&a, &b).unwrap().unwrap();
            prop_assert!((distance - (1.0 - correlation)).abs() < 1e-13);
            let scaled: Vec<f64> = a.iter().map(|x| x * 2f64.powi(exponent)).collect();
            prop_assert!((Distance::Correlation.distance(&scaled, &b) - distance).abs() < 1e-13);
            let shifted: Vec<f64> = a.iter().map(|x| x + level).collect();
            let spread = a.iter().fold(0.0, |m: f64, x| m.max((x - a[0]).abs()));
            prop_assert!((Distance::Correlation.distance(&shifted, &b) - distance).abs() < 1e-11 / spread);
        }

        #[test]
        fn minkowski_of_1_and_2_are_manhattan_and_euclidean_and_the_largest_difference_their_limit(
            pair in prop::collection::vec((-10.0..10.0f64, -10.0..10.0f64), 1..40), p in 1.0..300.0f64,
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) = pair.into_iter().unzip();
            let (manhattan, euclidean) = (Distance::Manhattan, Distance::Euclidean);
            prop_assert_eq!(Distance::Minkowski(1.0).distance(&a, &b), manhattan.distance(&a, &b));
            prop_assert_eq!(Distance::Minkowski(2.0).distance(&a, &b), euclidean.distance(&a, &b));
            let largest = a.iter().zip(&b).fold(0.0, |most: f64, (x, y)| most.max((x - y).abs()));
            prop_assert_eq!(Distance::Chebyshev.distance(&a, &b), largest);
            let powers: f64 = a.iter().zip(&b).map(|(x, y)| ((x - y).abs() / largest).powf(p)).sum();
            let by_powers = largest * powers.powf(1.0 / p);
            assert_relative_eq!(Distance::Minkowski(p).distance(&a, &b), by_powers, max_relative = 5e-14 / p + 2e-15);
            assert_relative_eq!(Distance::Minkowski(1e4).distance(&a, &b), largest, max_relative = 1e-3);
        }

        #[test]
        fn prepared_rows_have_the_bits_of_the_distance(
            values in prop::collection::vec(-10.0..10.0f64, 4 * 41), exponent in -900..900i32,
        ) {
            let unit = 2f64.powi(exponent);
            let rows = Rows::from_vec(values.iter().map(|x| x * unit).collect(), 41, 4);
            let array = rows.view();
            let mahalanobis = Mahalanobis::from_rows((&array / unit).view()).unwrap();
            for distance in distances().into_iter().chain([Distance::Mahalanobis(mahalanobis)]) {
                let (prepared, by) = (distance.prepare(rows.clone()), distance.prepared_distance());
                prop_assert_eq!(distance.needs_preparation(), prepared != rows);
                for (row, own) in rows.iter().zip(prepared.iter()) {
                    let expected = distance.distance(row, rows.row(40));
                    prop_assert_eq!(by.distance(own, prepared.row(40)).to_bits(), expected.to_bits());
                }
            }
        }
    }

    #[test]
    fn a_distance_is_read_back_from_its_name() {
        for distance in distances() {
            assert_eq!(distance.to_string().parse::<Distance>().unwrap(), distance);
        }
        let mahalanobis = Mahalanobis::from_rows(array![[0.0], [1.0]].view()).unwrap();
        let name = Distance::Mahalanobis(mahalanobis).to_string();
        assert_eq!(name, "mahalanobis");
        assert!(name.parse::<Distance>().is_err());
    }

    #[test]
    fn magnitudes_at_the_edge_of_the_range_keep_their_angle_and_scale() {
        assert!(Distance::Cosine.distance(&[1e80], &[1e80]) < 1e-15);
        assert!(Distance::Cosine.distance(&[1e200, 1e200], &[1e-200, 1e-200]) < 1e-15);
        assert_eq!(Distance::Cosine.distance(&[1e-90, 0.0], &[0.0, 1e-90]), 1.0);
        assert!(Distance::Cosine.distance(&[1.6e-162, 1.6e-162], &[1.0, 1.0]) < 1e-15);
        let overflow = Distance::Minkowski(3.0).distance(&[1.5e308, 1.0], &[-1.5e308, 0.0]);
        assert_eq!(overflow, f64::INFINITY);
        assert_eq!(Distance::Minkowski(400.0).distance(&[0.1], &[0.0]), 0.1);
        assert_eq!(Distance::Minkowski(1000.0).distance(&[10.0], &[0.0]), 10.0);
        for unit in [1e200, 1e-200] {
            let distance =
                Distance::Minkowski(2.0).distance(&[3.0 * unit, 0.0], &[0.0, 4.0 * unit]);
            assert_relative_eq!(distance, 5.0 * unit, max_relative = 1e-15, epsilon = 0.0);
        }
    }

    #[test]
    fn correlation_by_hand() {
        // Less their means −1, 0, 1 and −1, 1, 0: 1 − 1/2.
        let distance = Distance::Correlation.distance(&[1.0, 2.0, 3.0], &[10.0, 12.0, 11.0]);
        assert!((distance - 0.5).abs() < 1e-15);
        // Level and length do not matter, however large they are.
        let far = [1e8 + 1.0, 1e8 + 2.0, 1e8 + 3.0];
        assert!(Distance::Correlation.distance(&far, &[1e300, 2e300, 3e300]) < 1e-15);
        assert!(Distance::Correlation.distance(&[1.5e308, -1.5e308], &[5e-324, 0.0]) < 1e-15);
        let rows = array![[1.0, 2.0], [0.5, 0.5]];
        let error = Distance::Correlation
            .check_rows(input::ROWS, rows.view())
            .unwrap_err();
        assert_eq!((error.input(), error.index()), (input::ROWS, &[1][..]));
        assert!(matches!(
            error.kind(),
            ErrorKind::OutOfDomain { value: 0.5, .. }
        ));
        assert_eq!(error.help(), Some(LEAVE_ROW_OUT));
    }

    #[test]
    fn zero_over_zero_counts_as_no_difference() {
        for distance in [Distance::Canberra, Distance::BrayCurtis] {
            assert_eq!(distance.distance(&[0.0, 0.0], &[0.0, 0.0]), 0.0);
        }
        assert_eq!(
            Distance::Hamming.distance(&[1.0, 2.0, 3.0, 4.0], &[1.0, 0.0, 3.0, 0.0]),
            0.5
        );
    }

    #[test]
    fn parameters_outside_their_domain_are_refused() {
        for name in ["minkowski:0.5", "minkowski:x", "minkowski:inf", "taxicab"] {
            let error = name.parse::<Distance>().unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::InvalidParameter { .. }),
                "{name}"
            );
        }
        let rows = array![[1.0, 0.0], [0.0, 0.0]];
        let error = Distance::Cosine
            .check_rows(input::ROWS, rows.view())
            .unwrap_err();
        assert_eq!((error.input(), error.index()), (input::ROWS, &[1][..]));
        assert_eq!(error.help(), Some(LEAVE_ROW_OUT));
        let rows = array![[1.0, 2.0], [0.0, -1.5e308]];
        let error = Distance::Canberra
            .check_rows(input::ROWS, rows.view())
            .unwrap_err();
        assert_eq!(error.index(), [1, 1]);
        assert_eq!(error.help(), Some(SCALE_FEATURE_DOWN));
    }
}
