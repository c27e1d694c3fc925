//! What an engine is.

use ndarray::{ArrayView1, ArrayView2, Axis};
use xai_core::distance::LEAVE_ROW_OUT;
use xai_core::{Distance, Error, Result, parallel};

use crate::search::engine::Engine;
use crate::search::nearest::Neighbors;
use crate::search::queries::Queries;
use crate::{help, input};

/// A search over fixed training rows.
///
/// Every exact engine gives the same answer to the last bit: that of a scan over all rows in
/// `f64` with [`DistanceFunction`](xai_core::distance::DistanceFunction), in ascending distance,
/// equal distances by lower training index, `k` larger than the training set meaning all of it.
pub trait NeighborSearch: Send + Sync {
    /// The number of training rows.
    fn n_rows(&self) -> usize;

    /// The number of features.
    fn n_features(&self) -> usize;

    /// The distance.
    fn distance(&self) -> &Distance;

    /// Which engine it is; what [`Engine::Auto`] became.
    fn engine(&self) -> Engine;

    /// The share of true neighbours that the search finds; `None` for an exact search.
    fn recall(&self) -> Option<f64> {
        None
    }

    /// The nearest `k` training rows of each query, in the order of the queries, with the number of rows that tie at rank
    /// `k`. Engines run blocks of queries in parallel.
    fn search(&self, queries: &Queries<'_>, k: usize) -> Vec<Neighbors>;

    /// The nearest `k` training rows of one query.
    ///
    /// # Errors
    /// As [`nearest_batch`](Self::nearest_batch).
    fn nearest(&self, query: &[f64], k: usize) -> Result<Neighbors> {
        let query = ArrayView1::from(query).insert_axis(Axis(0));
        Ok(self.nearest_batch(query, k)?.swap_remove(0))
    }

    /// The nearest `k` training rows of each of `(m, d)` queries, in parallel.
    ///
    /// # Errors
    /// About [`input::QUERIES`](crate::input::QUERIES):
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) for another number of
    /// features, [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite), and
    /// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) naming a query for which the
    /// distance is undefined, or whose distances leave the range of `f64`.
    fn nearest_batch(&self, queries: ArrayView2<'_, f64>, k: usize) -> Result<Vec<Neighbors>> {
        parallel::with_work_size(queries.len().saturating_mul(self.n_rows()), || {
            let queries = Queries::new(queries, self.n_features(), self.distance())?;
            let found = self.search(&queries, k);
            check_distances(&found, self.distance())?;
            Ok(found)
        })
    }
}

/// Refuses infinite distances, which have no order: of opposite rows by the distance of Bray and Curtis, and beyond the
/// range of `f64` by any other.
pub(crate) fn check_distances(found: &[Neighbors], distance: &Distance) -> Result<()> {
    for (query, neighbors) in found.iter().enumerate() {
        let Some(row) = neighbors.iter().find(|near| !near.distance.is_finite()) else {
            continue;
        };
        let row = row.index;
        let (expected, help) = match distance {
            Distance::BrayCurtis => (
                format!(
                    "a distance from train[{row}], which is the opposite of this one: Σ |a + b|, by which this \
                     distance divides, is 0"
                ),
                LEAVE_ROW_OUT,
            ),
            _ => (
                format!("a distance within the range of f64 from train[{row}]"),
                help::SCALE_FEATURES_DOWN,
            ),
        };
        return Err(
            Error::out_of_domain(input::QUERIES, &[query], f64::INFINITY, expected)
                .part("distance")
                .with_help(help),
        );
    }
    Ok(())
}

/// An error about some of the queries, in the numbers of all: `queries` are their places.
pub(crate) fn among(error: Error, queries: &[usize]) -> Error {
    match error.index().first() {
        Some(&one) => {
            let place = queries.get(one).copied().unwrap_or(one);
            error.shifted(0, place - one)
        }
        None => error,
    }
}
