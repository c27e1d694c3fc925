//! Queries that an engine can answer.

use ndarray::ArrayView2;
use xai_core::number::check_finite;
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Distance, Result};

use crate::input;
use crate::training::Matrix;

/// Rows that neighbours are wanted of: as many features as the training rows, finite, within the
/// domain of the distance, row-major, and [prepared](Distance::prepare) for it.
///
/// [`NeighborSearch::nearest_batch`](crate::search::NeighborSearch::nearest_batch) makes them from
/// what a caller hands in; only this crate can, so that no engine checks again.
#[derive(Debug, Clone)]
pub struct Queries<'a>(Rows<'a, f64>);

impl<'a> Queries<'a> {
    /// Checks `(m, d)` rows and brings them into the space of the training rows.
    ///
    /// # Errors
    /// As [`nearest_batch`](crate::search::NeighborSearch::nearest_batch).
    pub(crate) fn new(
        rows: ArrayView2<'a, f64>,
        n_features: usize,
        distance: &Distance,
    ) -> Result<Self> {
        check_shape(input::QUERIES, &[rows.nrows(), n_features], rows.shape())?;
        check_finite(input::QUERIES, rows)?;
        distance.check_rows(input::QUERIES, rows)?;
        let rows = distance.prepare(Rows::new(rows));
        if distance.needs_preparation() {
            check_finite(input::QUERIES, rows.view()).map_err(|e| e.part("whitened rows"))?;
        }
        Ok(Self(rows))
    }

    /// Rows of a training set, as they are compared.
    pub(crate) fn of_training(rows: Matrix) -> Self {
        Self(rows)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.n_rows()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The features of one.
    #[inline]
    #[must_use]
    pub fn row(&self, query: usize) -> &[f64] {
        self.0.row(query)
    }
}
