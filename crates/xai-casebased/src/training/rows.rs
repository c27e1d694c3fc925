//! The training rows as the engines see them.

use std::sync::Arc;

use ndarray::ArrayView2;
use xai_core::number::check_finite;
use xai_core::{Distance, Error, Result};

use crate::training::Matrix;
use crate::training::standardization::Standardization;
use crate::{help, input};

/// Rows as they were handed in, and what is done to each before its distance is taken.
///
/// Engines that look at few rows in full scale each when they look at it, so that one copy serves
/// both the search and the explanations; a scaled row has the same bits every time.
#[derive(Debug, Clone)]
pub(crate) struct TrainingRows {
    values: Arc<Matrix>,
    standardization: Option<Arc<Standardization>>,
}

impl TrainingRows {
    /// Rows that somebody hands in together with a distance; both are checked.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for the parameter of
    /// the distance, and as [`finite`](Self::finite).
    pub(crate) fn handed_in(train: ArrayView2<'_, f64>, distance: &Distance) -> Result<Self> {
        distance.validate()?;
        Self::finite(Matrix::from_array(train.to_owned()), distance)
    }

    /// Rows that are compared as they are.
    ///
    /// # Errors
    /// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without rows or features,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite), and what the distance says of the
    /// rows.
    pub(crate) fn finite(values: Matrix, distance: &Distance) -> Result<Self> {
        check_filled(&values)?;
        check_finite(input::TRAIN, values.view())?;
        Self::checked(Arc::new(values), None, distance)
    }

    /// Finite rows, of which there are some, that are standardised before they are compared.
    ///
    /// # Errors
    /// What the distance says of the rows.
    pub(crate) fn checked(
        values: Arc<Matrix>,
        standardization: Option<Arc<Standardization>>,
        distance: &Distance,
    ) -> Result<Self> {
        let rows = Self {
            values,
            standardization,
        };
        if rows.standardization.is_some() && scaling_decides(distance) {
            rows.check_scaled(distance)?;
        } else {
            distance.check_rows(input::TRAIN, rows.values.view())?;
        }
        Ok(rows)
    }

    /// Whether the distance is defined for every row as it is compared.
    fn check_scaled(&self, distance: &Distance) -> Result<()> {
        const BLOCK: usize = 128;
        let d = self.n_features();
        for first in (0..self.n_rows()).step_by(BLOCK) {
            let n = BLOCK.min(self.n_rows() - first);
            let mut block = vec![0.0; n * d];
            for (i, to) in block.chunks_exact_mut(d).enumerate() {
                self.write(first + i, to);
            }
            let block = Matrix::from_vec(block, n, d);
            distance
                .check_rows(input::TRAIN_SCALED, block.view())
                .map_err(|e| e.shifted(0, first).with_help(help::DO_NOT_SCALE))?;
        }
        Ok(())
    }

    /// The rows [prepared](Distance::prepare) for a search with this distance, and the distance that it
    /// then compares them by. Rows that need no preparation are not copied.
    ///
    /// # Errors
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for a row that whitening takes
    /// beyond `f64`.
    pub(crate) fn prepared(self, distance: &Distance) -> Result<(Self, Distance)> {
        if !distance.needs_preparation() {
            return Ok((self, distance.prepared_distance()));
        }
        let (n, d) = (self.n_rows(), self.n_features());
        let mut values = vec![0.0; n * d];
        for (row, to) in values.chunks_exact_mut(d).enumerate() {
            self.write(row, to);
        }
        let rows = distance.prepare(Matrix::from_vec(values, n, d));
        check_finite(input::TRAIN_WHITENED, rows.view())?;
        Ok((Self::as_compared(rows), distance.prepared_distance()))
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.values.n_rows()
    }

    pub(crate) fn n_features(&self) -> usize {
        self.values.n_columns()
    }

    /// Some of the rows as they are compared, in the order of `picked`.
    pub(crate) fn pick(&self, picked: &[usize]) -> Matrix {
        let d = self.n_features();
        let mut values = vec![0.0; picked.len() * d];
        for (&row, to) in picked.iter().zip(values.chunks_exact_mut(d)) {
            self.write(row, to);
        }
        Matrix::from_vec(values, picked.len(), d)
    }

    /// Rows that are compared as they are, of which nothing is left to check.
    pub(crate) fn as_compared(values: Matrix) -> Self {
        Self {
            values: Arc::new(values),
            standardization: None,
        }
    }

    /// One feature of a row as it is compared.
    #[inline]
    pub(crate) fn value(&self, row: usize, feature: usize) -> f64 {
        let value = self.values.row(row)[feature];
        match &self.standardization {
            Some(s) => (value - s.mean[feature]) / s.scale[feature],
            None => value,
        }
    }

    /// Whether the mean of all rows, as they are compared, is 0 but for rounding.
    pub(crate) fn is_centered(&self) -> bool {
        self.standardization.is_some()
    }

    /// Writes one row as it is compared.
    #[inline]
    pub(crate) fn write(&self, row: usize, to: &mut [f64]) {
        let from = self.values.row(row);
        match &self.standardization {
            Some(s) => s.write(from, to),
            None => to.copy_from_slice(from),
        }
    }
}

/// Whether scaling a row can take it out of the distance's domain, or into it: so for cosine, for which
/// the mean of all rows has no direction, and so it may be for a distance that is not known here.
fn scaling_decides(distance: &Distance) -> bool {
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

/// Whether there are rows and features at all.
///
/// # Errors
/// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) naming what there is none of.
pub(crate) fn check_filled(train: &Matrix) -> Result<()> {
    if train.n_rows() == 0 {
        return Err(Error::empty(input::TRAIN).part("rows"));
    }
    if train.n_columns() == 0 {
        return Err(Error::empty(input::TRAIN).part("features"));
    }
    Ok(())
}
