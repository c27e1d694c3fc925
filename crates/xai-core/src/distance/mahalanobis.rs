//! Distance in units of the data's own spread.

use ndarray::{Array2, ArrayView2};

use crate::error::{Error, Help, Result};
use crate::input;
use crate::number::check_finite;
use crate::sum::ExactSum;
use crate::tensor::check_shape;

/// What to do about a feature that depends on others.
pub const LEAVE_FEATURE_OUT: Help =
    Help::new("leave the feature out, or add a little to the diagonal");

/// A Mahalanobis distance: the Cholesky factor `L` of a covariance `C = L Lᵀ`.
///
/// The distance is the Euclidean one between whitened rows `L⁻¹ a` and `L⁻¹ b`, so whole data sets
/// can be whitened once and searched with any Euclidean index.
///
/// ```
/// use ndarray::array;
/// use xai_core::distance::{Distance, DistanceFunction, Mahalanobis};
/// let distance = Distance::Mahalanobis(Mahalanobis::from_covariance(array![[4.0, 0.0], [0.0, 1.0]].view())?);
/// assert_eq!(distance.distance(&[0.0, 0.0], &[2.0, 0.0]), 1.0);
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredFactor"))]
pub struct Mahalanobis {
    n_features: usize,
    /// `L`, row-major, full square with zeros above the diagonal.
    factor: Vec<f64>,
}

/// What a stored distance says of itself, unchecked.
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
    /// From the covariance of the data, `(d, d)`, symmetric and positive definite.
    ///
    /// # Errors
    /// `ShapeMismatch` when it is not square, `NonFinite`, and `OutOfDomain` naming the feature that depends
    /// on the ones before it.
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
        let mut factor = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                if (covariance[[i, j]] - covariance[[j, i]]).abs()
                    > 1e-9 * (covariance[[i, i]].abs() + covariance[[j, j]].abs())
                {
                    return Err(wrong([i, j], "a symmetric matrix"));
                }
                let known: f64 = (0..j).map(|k| factor[i * n + k] * factor[j * n + k]).sum();
                let rest = covariance[[i, j]] - known;
                if i != j {
                    factor[i * n + j] = rest / factor[j * n + j];
                } else if rest > 1e-12 * covariance[[i, i]] {
                    factor[i * n + i] = rest.sqrt();
                } else {
                    let expected = "a positive definite matrix: this feature is constant or depends on the \
                                    ones before it";
                    return Err(wrong([i, i], expected).with_help(LEAVE_FEATURE_OUT));
                }
            }
        }
        Ok(Self {
            n_features: n,
            factor,
        })
    }

    /// From data `(n, d)`: the sample covariance, with `n − 1`.
    ///
    /// # Errors
    /// `TooFew` below two rows, and as [`from_covariance`](Self::from_covariance).
    pub fn from_rows(rows: ArrayView2<'_, f64>) -> Result<Self> {
        let (n, d) = rows.dim();
        if n < 2 {
            return Err(Error::too_few(input::ROWS, 2, n));
        }
        check_finite(input::ROWS, rows)?;
        let (all, ddof) = (n as f64, (n - 1) as f64);
        let mut centered = rows.to_owned();
        for mut column in centered.columns_mut() {
            let mean = column.iter().copied().collect::<ExactSum>().value() / all;
            column.mapv_inplace(|x| x - mean);
        }
        let mut covariance = Array2::zeros((d, d));
        for i in 0..d {
            for j in 0..=i {
                let products: ExactSum = centered
                    .column(i)
                    .iter()
                    .zip(centered.column(j))
                    .map(|(x, y)| x * y)
                    .collect();
                covariance[[i, j]] = products.value() / ddof;
                covariance[[j, i]] = covariance[[i, j]];
            }
        }
        Self::from_covariance(covariance.view())
    }

    /// The number of features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// `L⁻¹ row`: rows whitened so are as far apart in Euclidean distance as the originals are in
    /// this one. `row` has [`n_features`](Self::n_features) elements.
    #[must_use]
    pub fn whiten(&self, row: &[f64]) -> Vec<f64> {
        let n = self.n_features;
        let mut whitened: Vec<f64> = Vec::with_capacity(n);
        for (i, x) in row.iter().take(n).enumerate() {
            let factor = &self.factor[i * n..i * n + i];
            let known: f64 = factor.iter().zip(&whitened).map(|(l, w)| l * w).sum();
            whitened.push((x - known) / self.factor[i * n + i]);
        }
        whitened
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::{Distance, DistanceFunction};
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
