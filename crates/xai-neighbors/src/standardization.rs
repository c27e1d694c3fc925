//! Standardisation of features: zero mean and unit standard deviation.

use ndarray::{Array1, Array2, ArrayView2};
use xai_core::number::check_finite;
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Error, ExactSum, Result, parallel};

use crate::{help, input};

/// Name of the part in errors about the standard deviation of a feature. The index of such an error is
/// the feature, not the row.
pub const SPREADS: &str = "deviation of features";

/// Standardisation `(x − mean) / std` per feature, with the mean and the *population* standard
/// deviation (ddof 0) of the training set. A constant feature is only shifted (divisor 1).
///
/// # Constant features
///
/// A feature is constant if its deviation is at most `10 ε |mean|` with `ε = 2⁻⁵²`, for any number of rows `n`.
/// Sums are exact here, so only the rounding of the mean itself can look like a spread. scikit-learn sums in
/// floating point and treats a feature as constant if `variance ≤ n ε variance + (n ε mean)²`, that is up to a
/// deviation of about `n ε |mean|`. The two differ only for deviations between these bounds. With fewer than 10
/// rows, a feature can be constant here and be divided by its deviation there; with more rows, the other way
/// round. For example, three values around 10⁸ with a deviation of 10⁻⁷ are constant here, and scikit-learn
/// divides them by 10⁻⁷; 3 000 such values with a deviation of 10⁻⁵ are divided here and constant there.
///
/// ```
/// use ndarray::array;
/// use xai_neighbors::Standardization;
/// let near = Standardization::fit(array![[1e8 - 1.2e-7], [1e8], [1e8 + 1.2e-7]].view())?;
/// assert_eq!(near.scale, [1.0]); // scikit-learn 1.9: 9.7e-8
/// let apart = Standardization::fit(array![[1e8 - 1e-6], [1e8], [1e8 + 1e-6]].view())?;
/// assert!(apart.scale[0] < 1e-6);
/// # Ok::<(), xai_neighbors::Error>(())
/// ```
///
/// ```
/// use ndarray::array;
/// use xai_neighbors::Standardization;
/// let s = Standardization::fit(array![[1.0, 7.0], [3.0, 7.0]].view())?;
/// assert_eq!(s.apply(array![[5.0, 9.0]].view())?, array![[3.0, 2.0]]);
/// # Ok::<(), xai_neighbors::Error>(())
/// ```
///
/// # Source
/// scikit-learn's `StandardScaler`, which case-explainer uses; it differs in which features are constant, see above.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Standardization {
    /// Mean of each feature.
    pub mean: Vec<f64>,
    /// Divisor of each feature; 1 for a constant one.
    pub scale: Vec<f64>,
}

impl Standardization {
    /// Computes means and deviations of `(n, d)` training rows.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without rows,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for NaN or infinite values, and
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a feature whose deviation
    /// overflows `f64`.
    pub fn fit(train: ArrayView2<'_, f64>) -> Result<Self> {
        if train.nrows() == 0 {
            return Err(Error::empty(input::TRAIN).part("rows"));
        }
        check_finite(input::TRAIN, train)?;
        Self::fit_values(Rows::new(train).as_slice(), train.ncols())
    }

    /// As [`fit`](Self::fit), for rows that are known to be finite and not empty.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a feature whose deviation overflows `f64`.
    pub fn fit_matrix(train: &Rows<'_, f64>) -> Result<Self> {
        Self::fit_values(train.as_slice(), train.n_columns())
    }

    fn fit_values(values: &[f64], n_features: usize) -> Result<Self> {
        let (mean, deviations) = mean_and_deviation(values, n_features);
        Self::from_moments(mean, deviations)
    }

    /// Creates a standardisation from the mean and the population standard deviation (ddof 0) of each
    /// feature, for programs that compute these themselves.
    ///
    /// The result has the bits of [`fit`](Self::fit) if both come from exact sums, and the deviation
    /// from squares around the rounded mean: `mean = Σ x / n`, `deviation = √(Σ (x − mean)² / n)`.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a deviation that is not finite, and
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless there is one deviation per mean.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_neighbors::Standardization;
    /// let standardization = Standardization::from_moments(vec![2.0, 7.0], vec![1.0, 0.0])?;
    /// assert_eq!(standardization, Standardization::fit(array![[1.0, 7.0], [3.0, 7.0]].view())?);
    /// # Ok::<(), xai_neighbors::Error>(())
    /// ```
    pub fn from_moments(mean: Vec<f64>, deviation: Vec<f64>) -> Result<Self> {
        check_shape(input::SCALE, &[mean.len()], &[deviation.len()])?;
        let mut scale = Vec::with_capacity(mean.len());
        for (feature, (deviation, center)) in deviation.into_iter().zip(&mean).enumerate() {
            if !deviation.is_finite() {
                return Err(Error::out_of_domain(
                    input::TRAIN,
                    &[feature],
                    deviation,
                    "a finite spread",
                )
                .part(SPREADS)
                .with_help(help::SCALE_FEATURES_DOWN));
            }
            scale.push(spread(deviation, *center).unwrap_or(1.0));
        }
        Ok(Self { mean, scale })
    }

    /// Standard deviation of each feature of finite rows; `None` for a constant feature and for a
    /// deviation that overflows `f64`.
    #[must_use]
    pub fn spreads(train: &Rows<'_, f64>) -> Vec<Option<f64>> {
        let (mean, deviations) = mean_and_deviation(train.as_slice(), train.n_columns());
        let usable_spread = |(deviation, mean): (f64, f64)| {
            spread(deviation, mean).filter(|deviation| deviation.is_finite())
        };
        deviations
            .into_iter()
            .zip(mean)
            .map(usable_spread)
            .collect()
    }

    /// Scales one row into `to`; both have one value per feature.
    #[inline]
    pub(crate) fn write(&self, from: &[f64], to: &mut [f64]) {
        // A division, not a product with the reciprocal, which would round differently from scikit-learn and from
        // `apply`.
        for (((to, from), mean), scale) in to.iter_mut().zip(from).zip(&self.mean).zip(&self.scale)
        {
            *to = (from - mean) / scale;
        }
    }

    /// Scales `(m, d)` rows.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) if the number of features
    /// differs, or the fields have different lengths.
    pub fn apply(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        check_shape(input::SCALE, &[self.mean.len()], &[self.scale.len()])?;
        let expected = [rows.nrows(), self.mean.len()];
        check_shape(input::ROWS, &expected, rows.shape())?;
        let mean = Array1::from(self.mean.clone());
        let scale = Array1::from(self.scale.clone());
        Ok((&rows - &mean) / &scale)
    }
}

/// Mean and population standard deviation of each column of row-major values.
fn mean_and_deviation(values: &[f64], n_features: usize) -> (Vec<f64>, Vec<f64>) {
    // Without features there is nothing to divide by the number of rows.
    let n = values.len().checked_div(n_features).unwrap_or(0) as f64;
    parallel::with_work_size(8 * values.len(), || {
        let sums = column_sums(values, n_features, |_, x| x);
        let mean: Vec<f64> = sums.iter().map(|sum| sum.value() / n).collect();
        // A second pass over the differences: `Σ x² − n mean²` would cancel for a mean that is large
        // compared with the deviation, even with exact sums of rounded squares.
        let squares = column_sums(values, n_features, |column, x| {
            (x - mean[column]) * (x - mean[column])
        });
        let deviations = squares.iter().map(|squares| (squares.value() / n).sqrt());
        (mean, deviations.collect())
    })
}

/// The deviation of a column, or `None` for a constant column.
fn spread(deviation: f64, mean: f64) -> Option<f64> {
    // The rounded mean of equal values can differ from them in its last bits, which gives every row the
    // same small difference.
    let noise = 10.0 * f64::EPSILON * mean.abs();
    (deviation > noise).then_some(deviation)
}

/// Exact sums `Σ_row term(column, x)` for every column of row-major values.
fn column_sums(
    values: &[f64],
    n_columns: usize,
    term: impl Fn(usize, f64) -> f64 + Sync,
) -> Vec<ExactSum> {
    let n_rows = values.len().checked_div(n_columns).unwrap_or(0);
    parallel::fold_blocks(
        n_rows,
        // Merging two exact sums costs as much as adding some hundreds of terms, so blocks are as large
        // as an even distribution over the threads allows.
        n_rows.div_ceil(parallel::threads()).clamp(128, 1 << 14),
        || vec![ExactSum::new(); n_columns],
        |sums, rows| {
            let values = &values[rows.start * n_columns..rows.end * n_columns];
            ExactSum::add_rows(sums, values, &term);
        },
        |sums, others| {
            for (sum, other) in sums.iter_mut().zip(&others) {
                sum.add_sum(other);
            }
        },
    )
}
