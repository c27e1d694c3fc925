//! Queries that an engine can answer.

use ndarray::ArrayView2;
use xai_core::number::check_finite;
use xai_core::tensor::Rows;
use xai_core::{Distance, Error, Result};

use crate::input;
use crate::training::matrix::Matrix;

/// Rows that neighbours are wanted of: as many features as the training rows, finite, within the
/// domain of the distance, row-major, and whitened where the distance is Mahalanobis.
///
/// [`NeighborSearch::nearest_batch`](crate::search::NeighborSearch::nearest_batch) makes them from
/// what a caller hands in; only this crate can, so that no engine checks again.
#[derive(Debug, Clone)]
pub struct Queries<'a>(Values<'a>);

#[derive(Debug, Clone)]
enum Values<'a> {
    AsHandedIn(Rows<'a, f64>),
    Prepared(Matrix),
}

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
        let (m, d) = rows.dim();
        if d != n_features {
            return Err(Error::shape(input::QUERIES, &[m, n_features], &[m, d]));
        }
        check_finite(input::QUERIES, rows)?;
        distance.check_rows(input::QUERIES, rows)?;
        let rows = Rows::new(rows);
        let Distance::Mahalanobis(mahalanobis) = distance else {
            return Ok(Self(Values::AsHandedIn(rows)));
        };
        let whitened = rows.iter().flat_map(|row| mahalanobis.whiten(row));
        let whitened = Matrix::from_values(whitened.collect(), m, d);
        check_finite(input::QUERIES, whitened.view()).map_err(|e| e.part("whitened rows"))?;
        Ok(Self(Values::Prepared(whitened)))
    }

    /// Rows of a training set, as they are compared.
    pub(crate) fn of_training(rows: Matrix) -> Self {
        Self(Values::Prepared(rows))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Values::AsHandedIn(rows) => rows.n_rows(),
            Values::Prepared(rows) => rows.n_rows(),
        }
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
        match &self.0 {
            Values::AsHandedIn(rows) => rows.row(query),
            Values::Prepared(rows) => rows.row(query),
        }
    }
}
