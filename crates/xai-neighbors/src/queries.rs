//! Checked and prepared queries.

use ndarray::ArrayView2;
use xai_core::number::check_finite;
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Distance, Result};

use crate::input;
use crate::training_rows::Matrix;

/// Query rows of a search. They have as many features as the training rows, are finite, within the
/// domain of the distance, row-major, and prepared for it: centred for the correlation distance, whitened for that of
/// Mahalanobis.
///
/// They are checked when they are created, so engines need not check them again.
#[derive(Debug, Clone)]
pub struct Queries<'a>(Rows<'a, f64>);

impl<'a> Queries<'a> {
    /// Checks `(m, d)` rows and prepares them for the distance.
    ///
    /// # Errors
    /// As [`nearest_batch`](crate::NeighborSearch::nearest_batch).
    pub fn new(rows: ArrayView2<'a, f64>, n_features: usize, distance: &Distance) -> Result<Self> {
        check_shape(input::QUERIES, &[rows.nrows(), n_features], rows.shape())?;
        check_finite(input::QUERIES, rows)?;
        distance.check_rows(input::QUERIES, rows)?;
        let prepared = distance.prepare(Rows::new(rows));
        if distance.needs_preparation() {
            check_finite(input::QUERIES, prepared.view()).map_err(|e| e.part("whitened rows"))?;
        }
        Ok(Self(prepared))
    }

    /// Wraps training rows that are already scaled and prepared.
    pub(crate) fn from_training(rows: Matrix) -> Self {
        Self(rows)
    }

    /// Number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.n_rows()
    }

    /// Returns whether there are no queries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Features of one query.
    #[inline]
    #[must_use]
    pub fn row(&self, query: usize) -> &[f64] {
        self.0.row(query)
    }
}
