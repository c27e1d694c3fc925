//! What an engine is.

use ndarray::{ArrayView1, ArrayView2, Axis};
use xai_core::{Distance, Error, Result, parallel};

use crate::search::engine::Engine;
use crate::search::nearest::Nearest;
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

    /// The nearest `k` training rows of each query; lists in the order of the queries. Engines run
    /// blocks of queries in parallel.
    fn search(&self, queries: &Queries<'_>, k: usize) -> Vec<Vec<Nearest>>;

    /// The nearest `k` training rows of one query.
    ///
    /// # Errors
    /// As [`nearest_batch`](Self::nearest_batch).
    fn nearest(&self, query: &[f64], k: usize) -> Result<Vec<Nearest>> {
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
    fn nearest_batch(&self, queries: ArrayView2<'_, f64>, k: usize) -> Result<Vec<Vec<Nearest>>> {
        parallel::of_size(queries.len().saturating_mul(self.n_rows()), || {
            let queries = Queries::new(queries, self.n_features(), self.distance())?;
            let found = self.search(&queries, k);
            check_distances(&found)?;
            Ok(found)
        })
    }
}

/// Distances beyond the range of `f64` have lost their order.
pub(crate) fn check_distances(found: &[Vec<Nearest>]) -> Result<()> {
    let beyond = |list: &Vec<Nearest>| list.last().is_some_and(|n| !n.distance.is_finite());
    match found.iter().position(beyond) {
        None => Ok(()),
        Some(query) => Err(Error::out_of_domain(
            input::QUERIES,
            &[query],
            f64::INFINITY,
            "a distance within the range of f64",
        )
        .part("distance")
        .with_help(help::SCALE_FEATURES_DOWN)),
    }
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
