//! Features in units of their own spread.

use ndarray::{Array1, Array2, ArrayView2};
use xai_core::{Error, ExactSum, Result, check_finite, parallel};

/// `(x − mean) / std` by feature, with the mean and the *population* standard deviation (ddof 0)
/// of the training set. A constant feature is only shifted (divisor 1).
///
/// ```
/// use ndarray::array;
/// use xai_casebased::Standardization;
/// let s = Standardization::fit(array![[1.0, 7.0], [3.0, 7.0]].view())?;
/// assert_eq!(s.apply(array![[5.0, 9.0]].view())?, array![[3.0, 2.0]]);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// scikit-learn's `StandardScaler`, which case-explainer uses.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Standardization {
    /// The mean of each feature.
    pub mean: Vec<f64>,
    /// The divisor of each feature, 1 for a constant one.
    pub scale: Vec<f64>,
}

impl Standardization {
    /// Means and deviations of `(n, d)` training rows.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows, [`Error::NonFinite`].
    pub fn fit(train: ArrayView2<'_, f64>) -> Result<Self> {
        if train.nrows() == 0 {
            return Err(Error::empty("training rows"));
        }
        check_finite("train", train)?;
        #[allow(clippy::cast_precision_loss)] // exact below 2^53 rows
        let n = train.nrows() as f64;
        let mean: Vec<f64> = column_sums(train, |_, x| x)
            .iter()
            .map(|sum| sum.value() / n)
            .collect();
        let squares = column_sums(train, |column, x| (x - mean[column]) * (x - mean[column]));
        let mut scale = Vec::with_capacity(mean.len());
        for (feature, (squares, center)) in squares.iter().zip(&mean).enumerate() {
            let deviation = (squares.value() / n).sqrt();
            if !deviation.is_finite() {
                return Err(Error::out_of_domain(
                    "deviation of feature",
                    &[feature],
                    deviation,
                    "a finite spread; scale the feature down",
                ));
            }
            // A constant column has a mean that may be off by its last bit; that is no spread.
            let noise = 10.0 * f64::EPSILON * center.abs();
            scale.push(if deviation > noise { deviation } else { 1.0 });
        }
        Ok(Self { mean, scale })
    }

    /// Scales one row of as many features.
    #[inline]
    pub(crate) fn write(&self, from: &[f64], to: &mut [f64]) {
        for (((to, from), mean), scale) in to.iter_mut().zip(from).zip(&self.mean).zip(&self.scale)
        {
            *to = (from - mean) / scale;
        }
    }

    /// Scales `(m, d)` rows.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for another number of features.
    pub fn apply(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        if rows.ncols() != self.mean.len() || self.scale.len() != self.mean.len() {
            return Err(Error::shape(
                "rows",
                &[rows.nrows(), self.mean.len()],
                &[rows.nrows(), rows.ncols()],
            ));
        }
        let mean = Array1::from(self.mean.clone());
        let scale = Array1::from(self.scale.clone());
        Ok((&rows - &mean) / &scale)
    }
}

/// `Σ_row term(column, x)` of every column, exactly. Columns are gathered block by block of rows, so
/// that every row is read once from start to end.
fn column_sums(
    rows: ArrayView2<'_, f64>,
    term: impl Fn(usize, f64) -> f64 + Sync,
) -> Vec<ExactSum> {
    const BLOCK: usize = 128;
    let (n, d) = rows.dim();
    let rows = rows.as_standard_layout();
    let values = rows.as_slice().unwrap_or_default();
    parallel::fold_blocks(
        n,
        BLOCK,
        || vec![ExactSum::new(); d],
        |sums, block| {
            let mut gathered = [0.0; BLOCK];
            let values = &values[block.start * d..block.end * d];
            for (column, sum) in sums.iter_mut().enumerate() {
                let gathered = &mut gathered[..block.len()];
                for (to, row) in gathered.iter_mut().zip(values.chunks_exact(d)) {
                    *to = term(column, row[column]);
                }
                sum.add_slice(gathered);
            }
        },
        |sums, others| {
            for (sum, other) in sums.iter_mut().zip(&others) {
                sum.add_sum(other);
            }
        },
    )
}
