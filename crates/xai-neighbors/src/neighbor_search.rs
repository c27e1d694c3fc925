//! The interface of search engines.

use ndarray::{ArrayView1, ArrayView2, Axis};
use xai_core::distance::{DistanceFunction, LEAVE_ROW_OUT};
use xai_core::tensor::check_shape;
use xai_core::{Distance, Error, Result, parallel};

use crate::engine::Engine;
use crate::nearest::Neighbors;
use crate::queries::Queries;
use crate::{help, input};

/// A nearest-neighbour search over fixed training rows.
///
/// Every exact engine gives the same answer to the last bit: that of a scan over all rows in
/// `f64` with [`DistanceFunction`](xai_core::distance::DistanceFunction), in ascending distance,
/// ties by lower training index. A `k` larger than the training set returns all rows.
pub trait NeighborSearch: Send + Sync {
    /// Number of training rows.
    fn n_rows(&self) -> usize;

    /// Number of features.
    fn n_features(&self) -> usize;

    /// Distance by which rows are compared.
    fn distance(&self) -> &Distance;

    /// Engine of this search; never [`Engine::Auto`], but the engine that it chose.
    fn engine(&self) -> Engine;

    /// Share of the true neighbours that the search finds; `None` for an exact search.
    fn recall(&self) -> Option<f64> {
        None
    }

    /// Returns the nearest `k` training rows of each query, in the order of the queries. Blocks of queries run in
    /// parallel.
    fn search(&self, queries: &Queries<'_>, k: usize) -> Vec<Neighbors>;

    /// Returns the nearest `k` training rows of one query.
    ///
    /// # Errors
    /// As [`nearest_batch`](Self::nearest_batch).
    fn nearest(&self, query: &[f64], k: usize) -> Result<Neighbors> {
        let row = ArrayView1::from(query).insert_axis(Axis(0));
        Ok(self.nearest_batch(row, k)?.swap_remove(0))
    }

    /// Checks `(m, d)` queries and returns the nearest `k` training rows of each, computed in parallel.
    ///
    /// # Errors
    /// About [`input::QUERIES`](crate::input::QUERIES):
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) if the number of features differs,
    /// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for NaN or infinite values, before or after whitening,
    /// and [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a query for which the distance is undefined
    /// or overflows `f64`.
    fn nearest_batch(&self, queries: ArrayView2<'_, f64>, k: usize) -> Result<Vec<Neighbors>> {
        parallel::with_work_size(queries.len().saturating_mul(self.n_rows()), || {
            let queries = Queries::new(queries, self.n_features(), self.distance())?;
            let found = self.search(&queries, k);
            check_distances(&found, self.distance())?;
            Ok(found)
        })
    }

    /// Returns the nearest `k` other training rows of each of some training rows. `indices` are those of the rows in
    /// the training set.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_neighbors::{Distance, Engine};
    /// let train = array![[0.0], [0.0], [3.0]];
    /// let search = Engine::Auto.build(train.view(), Distance::Euclidean)?;
    /// let others = search.leave_one_out(train.view(), &[0, 1, 2], 1)?;
    /// let nearest: Vec<usize> = others.iter().map(|other| other[0].index).collect();
    /// assert_eq!(nearest, [1, 0, 0]);
    /// # Ok::<(), xai_neighbors::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`nearest_batch`](Self::nearest_batch), and
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless each row has an index.
    fn leave_one_out(
        &self,
        rows: ArrayView2<'_, f64>,
        indices: &[usize],
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        check_shape(input::QUERIES, &[indices.len(), rows.ncols()], rows.shape())?;
        // One more than wanted, because a row usually finds itself.
        let mut found = self.nearest_batch(rows, k.saturating_add(1))?;
        for ((neighbors, &index), row) in found.iter_mut().zip(indices).zip(rows.rows()) {
            neighbors.leave_out(index, k, || {
                let row = row.to_vec();
                self.distance().distance(&row, &row)
            });
        }
        Ok(found)
    }
}

/// Refuses infinite distances, among which there is no nearest: the Bray-Curtis distance of opposite rows, and any
/// distance that overflows `f64`.
///
/// # Errors
/// [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for the first query with an infinitely far neighbour.
pub fn check_distances(found: &[Neighbors], distance: &Distance) -> Result<()> {
    // Only neighbours are checked: if a row farther away has an infinite distance, the result is still exact.
    for (query, neighbors) in found.iter().enumerate() {
        let Some(infinite) = neighbors.iter().find(|near| !near.distance.is_finite()) else {
            continue;
        };
        let row = infinite.index;
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

/// Translates the index of an error about a subset of the queries into the index among all queries. `queries` are the
/// ascending indices of the subset.
#[must_use]
pub fn with_original_index(error: Error, queries: &[usize]) -> Error {
    match error.index().first() {
        Some(&index) => {
            let original = queries.get(index).copied().unwrap_or(index);
            error.shifted(0, original - index)
        }
        None => error,
    }
}
