//! Approximate nearest-neighbour search.

pub(crate) mod graph;

use ndarray::ArrayView2;
use xai_core::{Distance, Error, Result};

use crate::approximate::graph::LinkedRows;
use crate::brute_force::BruteForce;
use crate::engine::Engine;
use crate::hnsw::Hnsw;
use crate::input;
use crate::nearest::Neighbors;
use crate::neighbor_search::{NeighborSearch, check_distances};
use crate::queries::Queries;
use crate::training_rows::TrainingRows;

/// Approximate search in a navigable graph, for millions of rows with many features.
///
/// It finds *most* of the nearest rows. Distances are those of [`Distance`], in `f64`, and the rows found are in
/// exact order; missed rows are absent. The share of true neighbours found is measured when the graph is built
/// ([`recall`](NeighborSearch::recall)), with training rows that are searched without themselves. It can also be
/// measured for your own queries ([`measure_recall`](Self::measure_recall)).
///
/// Rows are linked one after another, so the same rows always give the same graph.
///
/// Supports Euclidean, squared Euclidean, Manhattan, cosine, correlation and Mahalanobis distance, and Minkowski
/// distance with `p` 1 or 2.
///
/// Cost: about `ef_construction · connections · d` operations per row to build the graph, and
/// `ef_search · connections · d` per query. Memory: the rows in double and in single precision, and up to
/// `2 · connections` links per row on the lowest layer.
///
/// ```
/// use ndarray::Array2;
/// use xai_neighbors::{ApproximateSearch, Distance, Hnsw, NeighborSearch};
/// let train = Array2::from_shape_fn((500, 8), |(i, j)| ((i * 31 + j * 17) % 97) as f64);
/// let search = ApproximateSearch::new(train.view(), Distance::Euclidean, Hnsw::default())?;
/// assert!(search.recall().unwrap() > 0.9);
/// assert_eq!(search.nearest(train.row(3).as_slice().unwrap(), 1)?[0].distance, 0.0);
/// # Ok::<(), xai_neighbors::Error>(())
/// ```
///
/// # Source
/// Y. A. Malkov and D. A. Yashunin, "Efficient and robust approximate nearest neighbor search using
/// hierarchical navigable small world graphs", IEEE TPAMI 42(4), 2020. The graph is built by the
/// `hnsw_rs` crate.
pub struct ApproximateSearch {
    distance: Distance,
    linked: LinkedRows,
    hnsw: Hnsw,
    recall: f64,
}

impl std::fmt::Debug for ApproximateSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApproximateSearch")
            .field("n_rows", &self.n_rows())
            .field("distance", &self.distance)
            .field("hnsw", &self.hnsw)
            .field("recall", &self.recall)
            .finish_non_exhaustive()
    }
}

/// Number of training rows that the recall is measured with, and number of neighbours of each.
const PROBES: usize = 100;
const PROBE_NEIGHBORS: usize = 10;

impl ApproximateSearch {
    /// Builds the graph over `(n, d)` training rows and measures its recall.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for parameters outside
    /// their domain or an unsupported distance, and as [`BruteForce::new`].
    pub fn new(train: ArrayView2<'_, f64>, distance: Distance, hnsw: Hnsw) -> Result<Self> {
        xai_core::describe::Parameters::check_params(&hnsw)?;
        Self::from_rows(TrainingRows::from_array(train, &distance)?, distance, hnsw)
    }

    /// As [`new`](Self::new), for checked rows and parameters.
    pub(crate) fn from_rows(rows: TrainingRows, distance: Distance, hnsw: Hnsw) -> Result<Self> {
        let (rows, prepared_distance) = rows.prepare(&distance)?;
        let linked = LinkedRows::new(rows, prepared_distance, hnsw)?;
        Ok(Self {
            distance,
            recall: leave_one_out_recall(&linked)?,
            linked,
            hnsw,
        })
    }

    /// Measures the share of the true nearest `k` rows of `(m, d)` queries that the search finds, in [0, 1]. A
    /// row as near as the `k`-th true neighbour counts as found.
    ///
    /// The true neighbours come from an exact scan that is built for this call.
    ///
    /// # Errors
    /// As [`nearest_batch`](NeighborSearch::nearest_batch);
    /// [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without queries and for `k = 0`.
    pub fn measure_recall(&self, queries: ArrayView2<'_, f64>, k: usize) -> Result<f64> {
        if k == 0 {
            return Err(Error::empty(input::NEIGHBORS));
        }
        if queries.nrows() == 0 {
            return Err(Error::empty(input::QUERIES));
        }
        let prepared = Queries::new(queries, self.n_features(), &self.distance)?;
        let found = self.search(&prepared, k);
        check_distances(&found, &self.distance)?;
        let exact = exact_search(&self.linked)?.search(&prepared, k);
        Ok(recall(&found, &exact))
    }
}

/// Builds an exact search over the prepared rows.
fn exact_search(linked: &LinkedRows) -> Result<BruteForce> {
    BruteForce::from_rows(linked.rows().clone(), linked.prepared_distance().clone())
}

/// Recall for some training rows as queries, each searched without itself.
fn leave_one_out_recall(linked: &LinkedRows) -> Result<f64> {
    let n = linked.rows().n_rows();
    let probes = PROBES.min(n);
    let k = PROBE_NEIGHBORS.min(n - 1);
    if k == 0 {
        return Ok(1.0);
    }
    // Evenly spaced rather than random, so that the same rows always have the same recall.
    let chosen: Vec<usize> = (0..probes).map(|i| i * n / probes).collect();
    let queries = Queries::from_training(linked.rows().select(&chosen));
    // A row always finds itself, which would raise the recall. So one more neighbour is searched, and the row removed.
    let without_self = |mut lists: Vec<Neighbors>| {
        for (list, &row) in lists.iter_mut().zip(&chosen) {
            list.nearest.retain(|n| n.index != row);
            list.nearest.truncate(k);
        }
        lists
    };
    let found = without_self(linked.search(&queries, k + 1));
    let exact = without_self(exact_search(linked)?.search(&queries, k + 1));
    Ok(recall(&found, &exact))
}

impl NeighborSearch for ApproximateSearch {
    fn n_rows(&self) -> usize {
        self.linked.rows().n_rows()
    }

    fn n_features(&self) -> usize {
        self.linked.rows().n_features()
    }

    fn distance(&self) -> &Distance {
        &self.distance
    }

    fn engine(&self) -> Engine {
        Engine::Approximate(self.hnsw)
    }

    fn recall(&self) -> Option<f64> {
        Some(self.recall)
    }

    fn search(&self, queries: &Queries<'_>, k: usize) -> Vec<Neighbors> {
        self.linked.search(queries, k)
    }
}

/// Share of the exact neighbours that were found; 1 without neighbours.
fn recall(found: &[Neighbors], exact: &[Neighbors]) -> f64 {
    let (mut hits, mut all) = (0, 0);
    for (found, exact) in found.iter().zip(exact) {
        all += exact.len();
        // Compared by distance, not by index: any row that ties with the last true neighbour is as good.
        let farthest = exact.last().map_or(0.0, |n| n.distance);
        hits += found.iter().filter(|n| n.distance <= farthest).count();
    }
    if all == 0 {
        1.0
    } else {
        hits as f64 / all as f64
    }
}
