//! Mahalanobis distance, which measures in units of the spread of the data.

use ndarray::{Array2, ArrayView2};

use crate::error::{Error, Help, Result};
use crate::input;
use crate::number::check_finite;
use crate::parallel;
use crate::simd::{InstructionSet, Simd, SimdKernel};
use crate::statistics::Centred;
use crate::tensor::check_shape;

/// Advice for a feature that is a linear combination of others.
pub const LEAVE_FEATURE_OUT: Help =
    Help::new("leave the feature out, or add a little to the diagonal");

/// Mahalanobis distance, given by the Cholesky factor `L` of a covariance matrix `C = L Lᵀ`.
///
/// It equals the Euclidean distance between whitened rows `L⁻¹ a` and `L⁻¹ b`. So a data set can be
/// whitened once ([`Distance::prepare`](crate::Distance::prepare)) and searched with any Euclidean
/// index.
///
/// ```
/// use ndarray::array;
/// use xai_core::{Distance, distance::{DistanceFunction, Mahalanobis}};
/// let distance = Distance::Mahalanobis(Mahalanobis::from_covariance(array![[4.0, 0.0], [0.0, 1.0]].view())?);
/// assert_eq!(distance.distance(&[0.0, 0.0], &[2.0, 0.0]), 1.0);
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredFactor"))]
pub struct Mahalanobis {
    n_features: usize,
    /// `L` in row-major order, as a full square matrix with zeros above the diagonal.
    factor: Vec<f64>,
}

/// Stored distance before validation.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct StoredFactor {
    n_features: usize,
    factor: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredFactor> for Mahalanobis {
    type Error = &'static str;

    fn try_from(stored: StoredFactor) -> std::result::Result<Self, Self::Error> {
        let n = stored.n_features;
        let square = n.checked_mul(n) == Some(stored.factor.len()) && n > 0;
        let finite = stored.factor.iter().all(|x| x.is_finite());
        if square && finite && (0..n).all(|i| stored.factor[i * n + i] > 0.0) {
            Ok(Self {
                n_features: n,
                factor: stored.factor,
            })
        } else {
            Err("not the Cholesky factor of a covariance")
        }
    }
}

impl Mahalanobis {
    /// Creates the distance from a covariance matrix of shape `(d, d)`, which must be symmetric and
    /// positive definite.
    ///
    /// # Errors
    /// `ShapeMismatch` if the matrix is not square, `Empty` without features, `NonFinite` for a NaN or
    /// infinite element, `OutOfDomain` if the matrix is not symmetric, or with the index of the diagonal
    /// element of a feature that is constant or a linear combination of those before it.
    pub fn from_covariance(covariance: ArrayView2<'_, f64>) -> Result<Self> {
        let (n, columns) = covariance.dim();
        check_shape(input::COVARIANCE, &[n, n], &[n, columns])?;
        if n == 0 {
            return Err(Error::empty(input::COVARIANCE));
        }
        check_finite(input::COVARIANCE, covariance)?;
        let wrong = |at: [usize; 2], expected: &'static str| {
            Error::out_of_domain(input::COVARIANCE, &at, covariance[at], expected)
        };
        // The factor is also stored transposed, above the diagonal, until the end. The sums `Σ_k
        // L_ik L_jk` of a row are accumulated for all its elements j at once, by a loop over
        // contiguous memory. Each sum keeps its order of terms, so the bits are those of the
        // textbook formula. −0 is the neutral element of addition for both zeros.
        let mut factor = vec![0.0; n * n];
        let mut known = vec![-0.0; n];
        for i in 0..n {
            known.fill(-0.0);
            for j in 0..=i {
                // Covariances computed in floating point may be asymmetric by rounding errors.
                if (covariance[[i, j]] - covariance[[j, i]]).abs()
                    > 1e-9 * (covariance[[i, i]].abs() + covariance[[j, j]].abs())
                {
                    return Err(wrong([i, j], "a symmetric matrix"));
                }
                let rest = covariance[[i, j]] - known[j];
                if i != j {
                    let element = rest / factor[j * n + j];
                    (factor[i * n + j], factor[j * n + i]) = (element, element);
                    let column = &factor[j * n + j + 1..=j * n + i];
                    for (known, other) in known[j + 1..].iter_mut().zip(column) {
                        *known += element * other;
                    }
                // A smaller remainder is a rounding error of a feature that is a linear combination
                // of others.
                } else if rest > 1e-12 * covariance[[i, i]] {
                    factor[i * n + i] = rest.sqrt();
                } else {
                    let expected = "a positive definite matrix: this feature is constant or depends on the \
                                    ones before it";
                    return Err(wrong([i, i], expected).with_help(LEAVE_FEATURE_OUT));
                }
            }
        }
        for i in 0..n {
            factor[i * n + i + 1..(i + 1) * n].fill(0.0);
        }
        Ok(Self {
            n_features: n,
            factor,
        })
    }

    /// Creates the distance from data of shape `(n, d)`, with their sample covariance (divisor `n −
    /// 1`).
    ///
    /// # Errors
    /// `TooFew` for fewer than two rows, and as [`from_covariance`](Self::from_covariance).
    pub fn from_rows(rows: ArrayView2<'_, f64>) -> Result<Self> {
        let (n, d) = rows.dim();
        if n < 2 {
            return Err(Error::too_few(input::ROWS, 2, n));
        }
        check_finite(input::ROWS, rows)?;
        let columns = parallel::map(d, |j| Centred::new(&rows.column(j).to_vec()));
        let lower = parallel::map(d, |i| {
            let covariance = |j: usize| columns[i].covariance(&columns[j]).value();
            (0..=i).map(covariance).collect::<Vec<_>>()
        });
        let covariance = Array2::from_shape_fn((d, d), |(i, j)| lower[i.max(j)][i.min(j)]);
        Self::from_covariance(covariance.view())
    }

    /// Number of features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// Replaces rows of [`n_features`](Self::n_features) elements by `L⁻¹ row`. The Euclidean
    /// distance of whitened rows is this distance of the original ones.
    pub(super) fn whiten(&self, rows: &mut [f64]) {
        let n = self.n_features;
        let mut columns = vec![[0.0; TILE]; n];
        for rows in rows.chunks_mut(TILE * n) {
            for (lane, row) in rows.chunks_exact(n).enumerate() {
                for (column, x) in columns.iter_mut().zip(row) {
                    column[lane] = *x;
                }
            }
            InstructionSet::fastest().run(Substitution {
                factor: &self.factor,
                columns: &mut columns,
            });
            for (lane, row) in rows.chunks_exact_mut(n).enumerate() {
                for (x, column) in row.iter_mut().zip(&columns) {
                    *x = column[lane];
                }
            }
        }
    }
}

/// Number of rows that are whitened together. The elements of a row depend on each other, those of
/// different rows do not. For 2 000 features, one row after another takes 30 times as long.
const TILE: usize = 32;

/// Kernel that solves `L w = x` by forward substitution for a tile of rows, `[feature][row]`. Each
/// row has the bits that it would have alone.
struct Substitution<'a> {
    factor: &'a [f64],
    columns: &'a mut [[f64; TILE]],
}

impl SimdKernel for Substitution<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let n = self.columns.len();
        for (i, factor) in self.factor.chunks_exact(n).enumerate() {
            let (solved, unsolved) = self.columns.split_at_mut(i);
            let mut known = [-0.0; TILE];
            for (l, solved) in factor.iter().zip(&*solved) {
                for lane in 0..TILE {
                    known[lane] += l * solved[lane];
                }
            }
            for (x, known) in unsolved[0].iter_mut().zip(known) {
                *x = (*x - known) / factor[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Distance;
    use crate::distance::DistanceFunction;
    use crate::random::{random_stream, uniform};
    use crate::sum::ExactSum;
    use approx::assert_relative_eq;
    use ndarray::array;

    #[test]
    fn mahalanobis_of_correlated_features_by_hand() {
        // C = [[2, 1], [1, 2]], C⁻¹ = [[2, −1], [−1, 2]]/3; (1, 1) gives 2/3, (1, −1) gives 2.
        let m = Mahalanobis::from_covariance(array![[2.0, 1.0], [1.0, 2.0]].view()).unwrap();
        let mahalanobis = Distance::Mahalanobis(m);
        let distance = |b: [f64; 2]| mahalanobis.distance(&[0.0, 0.0], &b);
        assert_relative_eq!(
            distance([1.0, 1.0]),
            (2f64 / 3.0).sqrt(),
            max_relative = 1e-15
        );
        assert_relative_eq!(distance([1.0, -1.0]), 2f64.sqrt(), max_relative = 1e-15);
        let rows = array![[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]];
        let from_rows = Mahalanobis::from_rows(rows.view()).unwrap();
        let by_hand = Mahalanobis::from_covariance((Array2::eye(2) * (4.0 / 3.0)).view()).unwrap();
        assert_eq!(from_rows, by_hand);
    }

    /// Each sum has the order of the plain formulas, although several are computed together.
    #[test]
    fn factor_and_whitened_rows_have_the_bits_of_the_plain_formulas() {
        let (n, d) = (70, 23);
        let mut stream = random_stream(3, 0);
        let rows = Array2::from_shape_simple_fn((n, d), || uniform(&mut stream));
        let m = Mahalanobis::from_rows(rows.view()).unwrap();
        let mut covariance = Array2::zeros((d, d));
        for i in 0..d {
            for j in 0..d {
                let mean = |j: usize| {
                    rows.column(j).iter().copied().collect::<ExactSum>().value() / n as f64
                };
                let (x, y) = (
                    rows.column(i).mapv(|x| x - mean(i)),
                    rows.column(j).mapv(|x| x - mean(j)),
                );
                covariance[[i, j]] =
                    (x * y).iter().copied().collect::<ExactSum>().value() / (n - 1) as f64;
            }
        }
        let mut factor = Array2::<f64>::zeros((d, d));
        for i in 0..d {
            for j in 0..=i {
                let known: f64 = (0..j).map(|k| factor[[i, k]] * factor[[j, k]]).sum();
                let rest = covariance[[i, j]] - known;
                factor[[i, j]] = if i == j {
                    rest.sqrt()
                } else {
                    rest / factor[[j, j]]
                };
            }
        }
        assert_eq!(m.factor, factor.iter().copied().collect::<Vec<_>>());
        let mut whitened: Vec<f64> = rows.iter().copied().collect();
        m.whiten(&mut whitened);
        for (row, whitened) in rows.rows().into_iter().zip(whitened.chunks_exact(d)) {
            let mut expected: Vec<f64> = Vec::new();
            for i in 0..d {
                let known: f64 = (0..i).map(|k| factor[[i, k]] * expected[k]).sum();
                expected.push((row[i] - known) / factor[[i, i]]);
            }
            assert_eq!(whitened, expected);
        }
    }

    #[test]
    fn a_dependent_feature_is_named() {
        let error =
            Mahalanobis::from_covariance(array![[1.0, 1.0], [1.0, 1.0]].view()).unwrap_err();
        assert_eq!(
            (error.input(), error.index()),
            (input::COVARIANCE, &[1, 1][..])
        );
        assert_eq!(error.help(), Some(LEAVE_FEATURE_OUT));
    }
}
