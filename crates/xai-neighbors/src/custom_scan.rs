//! Exact search by the caller's own distance.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use ndarray::ArrayView2;
use xai_core::distance::DistanceFunction;
use xai_core::{Distance, Error, Result, parallel};

use crate::input;
use crate::k_nearest::KNearest;
use crate::nearest::{Nearest, Neighbors};
use crate::neighbor_search::check_distances;
use crate::queries::Queries;
use crate::training_rows::TrainingRows;

/// The caller's own distance.
#[derive(Clone)]
pub struct CustomDistance(Arc<dyn DistanceFunction>);

/// Distance that stands in for a custom one where rows are checked and prepared: it is defined for all finite rows and
/// leaves them unchanged.
pub const UNRESTRICTED: Distance = Distance::Euclidean;

impl CustomDistance {
    /// Wraps a distance function.
    pub fn new(distance: impl DistanceFunction + 'static) -> Self {
        Self(Arc::new(distance))
    }

    /// Computes the distance between a query and a training row. The indices are those of the error.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for NaN and for a negative distance.
    pub fn between(
        &self,
        (query, query_values): (usize, &[f64]),
        (row, row_values): (usize, &[f64]),
    ) -> Result<f64> {
        let distance = self.0.distance(query_values, row_values);
        if distance >= 0.0 {
            return Ok(distance);
        }
        let expected =
            format!("a number of at least 0 from the distance function, for train[{row}]");
        Err(Error::out_of_domain(input::QUERIES, &[query], distance, expected).part("distance"))
    }
}

impl fmt::Debug for CustomDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CustomDistance")
    }
}

impl PartialEq for CustomDistance {
    /// Returns true for clones of one distance. Functions cannot be compared otherwise.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Number of queries that are compared with a row after it is read.
const QUERIES: usize = 16;

/// A scan over all rows. No bound of a custom distance is known, so every distance is computed.
#[derive(Debug)]
pub struct CustomScan {
    rows: TrainingRows,
    distance: CustomDistance,
}

impl CustomScan {
    /// Creates a scan over checked rows.
    #[must_use]
    pub fn new(rows: TrainingRows, distance: CustomDistance) -> Self {
        Self { rows, distance }
    }

    /// As [`NeighborSearch::nearest_batch`](crate::NeighborSearch::nearest_batch).
    ///
    /// # Errors
    /// Also [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a distance that is NaN or negative.
    pub fn nearest_batch(&self, queries: ArrayView2<'_, f64>, k: usize) -> Result<Vec<Neighbors>> {
        parallel::with_work_size(queries.len().saturating_mul(self.rows.n_rows()), || {
            let queries = Queries::new(queries, self.rows.n_features(), &UNRESTRICTED)?;
            let blocks = parallel::map_blocks(queries.len(), QUERIES, |block| {
                self.search_block(&queries, block, k)
            });
            let mut found = Vec::with_capacity(queries.len());
            for block in blocks {
                found.extend(block?);
            }
            check_distances(&found, &UNRESTRICTED)?;
            Ok(found)
        })
    }

    fn search_block(
        &self,
        queries: &Queries<'_>,
        block: Range<usize>,
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        let n_rows = self.rows.n_rows();
        let mut best = vec![KNearest::new(k.min(n_rows)); block.len()];
        let mut row = vec![0.0; self.rows.n_features()];
        for index in 0..n_rows {
            self.rows.write(index, &mut row);
            for (query, best) in block.clone().zip(&mut best) {
                let distance = self
                    .distance
                    .between((query, queries.row(query)), (index, &row))?;
                best.offer(Nearest { index, distance });
            }
        }
        Ok(best.into_iter().map(KNearest::into_neighbors).collect())
    }
}
