//! Training rows as the search engines read them.

use std::sync::Arc;

use ndarray::ArrayView2;
use xai_core::number::check_finite;
use xai_core::tensor::Rows;
use xai_core::{Distance, Error, Result};

use crate::standardization::Standardization;
use crate::{help, input};

/// `(n, d)` values in row-major order.
pub(crate) type Matrix = Rows<'static, f64>;

/// The caller's rows with the standardisation that is applied before they are compared.
///
/// Rows are scaled whenever they are read. One copy of the original values then serves both the search
/// and the explanations, and since the scaling is deterministic, a row has the same bits every time.
#[derive(Debug, Clone)]
pub struct TrainingRows {
    values: Arc<Matrix>,
    standardization: Option<Arc<Standardization>>,
}

impl TrainingRows {
    /// Copies the caller's rows, and checks them and the distance.
    ///
    /// # Errors
    /// As [`from_matrix`](Self::from_matrix).
    pub fn from_array(train: ArrayView2<'_, f64>, distance: &Distance) -> Result<Self> {
        Self::from_matrix(Matrix::from_array(train.to_owned()), distance)
    }

    /// Checks rows that are compared without standardisation, and the distance.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) if the parameter of the distance is
    /// invalid,
    /// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without rows or features,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for NaN or infinite values, and the
    /// errors of [`Distance::check_rows`] for rows outside the domain of the distance.
    pub fn from_matrix(values: Matrix, distance: &Distance) -> Result<Self> {
        distance.validate()?;
        check_non_empty(&values)?;
        check_finite(input::TRAIN, values.view())?;
        Self::with_standardization(Arc::new(values), None, distance)
    }

    /// Combines rows with their standardisation, and checks that the distance is defined for them. The
    /// rows must be finite and not empty.
    ///
    /// # Errors
    /// As [`Distance::check_rows`], for the scaled rows where scaling can change the outcome.
    pub fn with_standardization(
        values: Arc<Matrix>,
        standardization: Option<Arc<Standardization>>,
        distance: &Distance,
    ) -> Result<Self> {
        let rows = Self {
            values,
            standardization,
        };
        // Scaling all rows only to check them is avoided where the outcome is the same for unscaled rows.
        if rows.standardization.is_some() && domain_depends_on_scale(distance) {
            rows.check_scaled(distance)?;
        } else {
            distance.check_rows(input::TRAIN, rows.values.view())?;
        }
        Ok(rows)
    }

    /// Checks that the distance is defined for every scaled row.
    fn check_scaled(&self, distance: &Distance) -> Result<()> {
        // Scaling block by block avoids a second copy of the training set.
        const BLOCK: usize = 128;
        let d = self.n_features();
        for first in (0..self.n_rows()).step_by(BLOCK) {
            let n = BLOCK.min(self.n_rows() - first);
            let mut block = vec![0.0; n * d];
            for (i, to) in block.chunks_exact_mut(d).enumerate() {
                self.write(first + i, to);
            }
            let scaled_rows = Matrix::from_vec(block, n, d);
            distance
                .check_rows(input::TRAIN_SCALED, scaled_rows.view())
                .map_err(|e| e.shifted(0, first).with_help(help::DO_NOT_SCALE))?;
        }
        Ok(())
    }

    /// [Prepares](Distance::prepare) the rows for a search, and returns them with the distance that
    /// compares prepared rows: Euclidean on whitened rows for Mahalanobis, cosine on centred rows for
    /// correlation. Rows that need no preparation are not copied.
    ///
    /// # Errors
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) if whitening overflows `f64`.
    pub fn prepare(self, distance: &Distance) -> Result<(Self, Distance)> {
        if !distance.needs_preparation() {
            return Ok((self, distance.prepared_distance()));
        }
        // Prepared once and stored, unlike scaled rows: whitening costs `d²` operations per row.
        let (n, d) = (self.n_rows(), self.n_features());
        let mut values = vec![0.0; n * d];
        for (row, to) in values.chunks_exact_mut(d).enumerate() {
            self.write(row, to);
        }
        let rows = distance.prepare(Matrix::from_vec(values, n, d));
        check_finite(input::TRAIN_WHITENED, rows.view())?;
        Ok((Self::from_prepared(rows), distance.prepared_distance()))
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.values.n_rows()
    }

    /// Number of features.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.values.n_columns()
    }

    /// Copies of the scaled rows at `indices`, in that order.
    pub(crate) fn select(&self, indices: &[usize]) -> Matrix {
        let d = self.n_features();
        let mut values = vec![0.0; indices.len() * d];
        for (&row, to) in indices.iter().zip(values.chunks_exact_mut(d)) {
            self.write(row, to);
        }
        Matrix::from_vec(values, indices.len(), d)
    }

    /// Wraps rows that are already scaled, prepared and checked.
    pub(crate) fn from_prepared(values: Matrix) -> Self {
        Self {
            values: Arc::new(values),
            standardization: None,
        }
    }

    /// One feature of a row, scaled.
    #[inline]
    pub(crate) fn value(&self, row: usize, feature: usize) -> f64 {
        let value = self.values.row(row)[feature];
        match &self.standardization {
            Some(s) => (value - s.mean[feature]) / s.scale[feature],
            None => value,
        }
    }

    /// Returns whether the mean of the rows is known to be 0 except for rounding.
    pub(crate) fn is_centered(&self) -> bool {
        self.standardization.is_some()
    }

    /// Writes one row, scaled, to `to`.
    #[inline]
    pub fn write(&self, row: usize, to: &mut [f64]) {
        let from = self.values.row(row);
        match &self.standardization {
            Some(s) => s.write(from, to),
            None => to.copy_from_slice(from),
        }
    }
}

/// Returns whether scaling can move a row into or out of the domain of the distance. It can for cosine,
/// because a row at the mean becomes a zero vector, which has no direction. Distances that are not
/// listed here are assumed to behave like cosine.
fn domain_depends_on_scale(distance: &Distance) -> bool {
    !matches!(
        distance,
        Distance::Euclidean
            | Distance::SquaredEuclidean
            | Distance::Manhattan
            | Distance::Chebyshev
            | Distance::Minkowski(_)
            | Distance::Canberra
            | Distance::BrayCurtis
            | Distance::Hamming
            | Distance::Mahalanobis(_)
    )
}

/// Checks that there is at least one row and one feature.
///
/// # Errors
/// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) about the rows or the features.
pub fn check_non_empty(train: &Matrix) -> Result<()> {
    if train.n_rows() == 0 {
        return Err(Error::empty(input::TRAIN).part("rows"));
    }
    if train.n_columns() == 0 {
        return Err(Error::empty(input::TRAIN).part("features"));
    }
    Ok(())
}
