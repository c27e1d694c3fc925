//! Approximate search.

use std::sync::Arc;

use anndists::dist::{DistCosine, DistL1, DistL2};
use hnsw_rs::prelude::Hnsw as Graph;
use ndarray::{Array2, ArrayView2};
use xai_core::{Distance, Error, Metric, Result, parallel};

use crate::k_nearest::KNearest;
use crate::search::in_space;
use crate::training_rows::TrainingRows;
use crate::{BruteForce, Nearest, NeighborSearch};

/// The parameters of a hierarchical navigable small world graph.
///
/// More connections and wider searches find more of the neighbours and cost more; the recall that
/// they reach is measured, see [`ApproximateSearch`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hnsw {
    /// Neighbours that a row is linked to on each layer, 2 to 256. Default: 16.
    pub connections: usize,
    /// Candidates that are kept while a row is linked, 1 to 2²⁰. Default: 200.
    pub ef_construction: usize,
    /// Candidates that are kept during a search, 1 to 2²⁰, raised to `k` where it is larger.
    /// Default: 64.
    pub ef_search: usize,
}

impl Default for Hnsw {
    fn default() -> Self {
        Self {
            connections: 16,
            ef_construction: 200,
            ef_search: 64,
        }
    }
}

impl Hnsw {
    /// Checks the parameters.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for one outside its domain.
    pub fn validate(&self) -> Result<()> {
        if !(2..=256).contains(&self.connections) {
            return Err(Error::parameter(
                "connections",
                self.connections,
                "2 to 256 links a row",
            ));
        }
        for (name, value) in [
            ("ef_construction", self.ef_construction),
            ("ef_search", self.ef_search),
        ] {
            if !(1..=1 << 20).contains(&value) {
                return Err(Error::parameter(name, value, "1 to 1 048 576 candidates"));
            }
        }
        Ok(())
    }
}

/// Approximate search in a navigable graph, for millions of rows with many features.
///
/// It finds *most* of the nearest rows. Distances are those of [`Metric`], in `f64`, and the rows
/// that were found are in exact order; rows that were missed are simply not there. The share of true
/// neighbours that it finds is measured when it is built ([`recall`](NeighborSearch::recall)), on
/// rows of the training set that are searched without themselves, and can be measured for queries of
/// one's own ([`measure_recall`](Self::measure_recall)).
///
/// Rows are linked one after another, so that the same rows always give the same graph.
///
/// For Euclidean, squared Euclidean, Manhattan, cosine and Mahalanobis distance. Cost: about
/// `ef_construction · connections · d` operations a row to build, `ef_search · connections · d` a
/// query. Memory: the rows in double and in single precision, and `connections` links each.
///
/// ```
/// use ndarray::Array2;
/// use xai_casebased::{ApproximateSearch, Hnsw, Metric, NeighborSearch};
/// let train = Array2::from_shape_fn((500, 8), |(i, j)| ((i * 31 + j * 17) % 97) as f64);
/// let search = ApproximateSearch::new(train.view(), Metric::Euclidean, Hnsw::default())?;
/// assert!(search.recall().unwrap() > 0.9);
/// assert_eq!(search.nearest(train.row(3).as_slice().unwrap(), 1)?[0].distance, 0.0);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Y. A. Malkov and D. A. Yashunin, "Efficient and robust approximate nearest neighbor search using
/// hierarchical navigable small world graphs", IEEE TPAMI 42(4), 2020; the graph is that of the
/// `hnsw_rs` crate.
pub struct ApproximateSearch {
    rows: TrainingRows,
    metric: Metric,
    graph: AnyGraph,
    single: Single,
    hnsw: Hnsw,
    recall: f64,
}

enum AnyGraph {
    L2(Graph<'static, f32, DistL2>),
    L1(Graph<'static, f32, DistL1>),
    Cosine(Graph<'static, f32, DistCosine>),
}

impl std::fmt::Debug for ApproximateSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApproximateSearch")
            .field("n_rows", &self.rows.n_rows())
            .field("metric", &self.metric)
            .field("hnsw", &self.hnsw)
            .field("recall", &self.recall)
            .finish_non_exhaustive()
    }
}

/// Rows that the recall is measured on, and neighbours of each.
const PROBES: usize = 100;
const PROBED_NEIGHBORS: usize = 10;

/// Layers of the graph; the levels of a billion rows fit.
const LAYERS: usize = 16;

impl ApproximateSearch {
    /// Builds the graph over `(n, d)` training rows and measures its recall.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for parameters outside their domain or another metric, and as
    /// [`BruteForce::new`].
    pub fn new(train: ArrayView2<'_, f64>, metric: Metric, hnsw: Hnsw) -> Result<Self> {
        let rows = TrainingRows::new(Arc::new(train.to_owned()), None, &metric)?;
        Self::of(rows, metric, hnsw)
    }

    pub(crate) fn of(rows: TrainingRows, metric: Metric, hnsw: Hnsw) -> Result<Self> {
        hnsw.validate()?;
        let rows = rows.whitened(&metric)?;
        let (n, links, ef) = (rows.n_rows(), hnsw.connections, hnsw.ef_construction);
        let graph = match metric {
            Metric::Euclidean | Metric::SquaredEuclidean | Metric::Mahalanobis(_) => {
                AnyGraph::L2(Graph::new(links, n, LAYERS, ef, DistL2 {}))
            }
            Metric::Manhattan => AnyGraph::L1(Graph::new(links, n, LAYERS, ef, DistL1 {})),
            Metric::Cosine => AnyGraph::Cosine(Graph::new(links, n, LAYERS, ef, DistCosine {})),
            other => {
                return Err(Error::parameter(
                    "metric",
                    other,
                    "euclidean, squared-euclidean, manhattan, cosine or mahalanobis in an \
                     approximate search",
                ));
            }
        };
        let mut row = vec![0.0; rows.n_features()];
        let mut largest = 0.0f64;
        for i in 0..n {
            rows.write(i, &mut row);
            largest = row.iter().fold(largest, |m, x| m.max(x.abs()));
        }
        let single = Single {
            cosine: matches!(metric, Metric::Cosine),
            scale: if largest.is_normal() { largest } else { 1.0 },
        };
        for i in 0..n {
            rows.write(i, &mut row);
            let single = single.of(&row);
            match &graph {
                AnyGraph::L2(graph) => graph.insert((&single, i)),
                AnyGraph::L1(graph) => graph.insert((&single, i)),
                AnyGraph::Cosine(graph) => graph.insert((&single, i)),
            }
        }
        let mut search = Self {
            rows,
            metric,
            graph,
            single,
            hnsw,
            recall: 1.0,
        };
        search.recall = search.recall_without_oneself()?;
        Ok(search)
    }

    /// The share of the true nearest `k` rows of `(m, d)` queries that the search finds, in [0, 1];
    /// 1 = all of them. A row as near as the `k`-th true neighbour counts as found. The true ones
    /// come from a scan that is set up for this call.
    ///
    /// # Errors
    /// As [`nearest_batch`](NeighborSearch::nearest_batch); [`Error::Empty`] without queries and
    /// for `k = 0`.
    pub fn measure_recall(&self, queries: ArrayView2<'_, f64>, k: usize) -> Result<f64> {
        if queries.nrows() == 0 {
            return Err(Error::empty("queries"));
        }
        if k == 0 {
            return Err(Error::empty("neighbours"));
        }
        let found = self.nearest_batch(queries, k)?;
        let queries = in_space(&self.metric, queries)?;
        let exact = self.exact()?.search_checked(queries.view(), k);
        Ok(share_found(&found, &exact))
    }

    /// The exact search over the rows as they are compared.
    fn exact(&self) -> Result<BruteForce> {
        BruteForce::of_rows(self.rows.clone(), self.compared_by())
    }

    /// Whitened rows are compared as Euclidean ones.
    fn compared_by(&self) -> Metric {
        match &self.metric {
            Metric::Mahalanobis(_) => Metric::Euclidean,
            metric => metric.clone(),
        }
    }

    fn recall_without_oneself(&self) -> Result<f64> {
        let n = self.rows.n_rows();
        let probes = PROBES.min(n);
        let k = PROBED_NEIGHBORS.min(n - 1);
        if k == 0 {
            return Ok(1.0);
        }
        let mut queries = Array2::zeros((probes, self.rows.n_features()));
        let chosen: Vec<usize> = (0..probes).map(|i| i * n / probes).collect();
        for (&row, mut to) in chosen.iter().zip(queries.rows_mut()) {
            if let Some(to) = to.as_slice_mut() {
                self.rows.write(row, to);
            }
        }
        let without = |mut lists: Vec<Vec<Nearest>>| {
            for (list, &row) in lists.iter_mut().zip(&chosen) {
                list.retain(|n| n.index != row);
                list.truncate(k);
            }
            lists
        };
        let found = without(self.found(queries.view(), k + 1));
        let exact = without(self.exact()?.search_checked(queries.view(), k + 1));
        Ok(share_found(&found, &exact))
    }

    /// Queries are in the space of the rows.
    fn found(&self, queries: ArrayView2<'_, f64>, k: usize) -> Vec<Vec<Nearest>> {
        let metric = self.compared_by();
        let k = k.min(self.rows.n_rows());
        parallel::map(queries.nrows(), |i| {
            let mut best = KNearest::new(k);
            if k == 0 {
                return best.into_vec();
            }
            let query = queries.row(i).to_vec();
            let single = self.single.of(&query);
            let ef = self.hnsw.ef_search.max(k);
            let candidates = match &self.graph {
                AnyGraph::L2(graph) => graph.search(&single, k, ef),
                AnyGraph::L1(graph) => graph.search(&single, k, ef),
                AnyGraph::Cosine(graph) => graph.search(&single, k, ef),
            };
            let mut row = vec![0.0; query.len()];
            for candidate in candidates {
                self.rows.write(candidate.d_id, &mut row);
                best.offer(Nearest {
                    index: candidate.d_id,
                    distance: metric.distance(&row, &query),
                });
            }
            best.into_vec()
        })
    }
}

impl NeighborSearch for ApproximateSearch {
    fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    fn n_features(&self) -> usize {
        self.rows.n_features()
    }

    fn metric(&self) -> &Metric {
        &self.metric
    }

    fn recall(&self) -> Option<f64> {
        Some(self.recall)
    }

    fn search_checked(&self, queries: ArrayView2<'_, f64>, k: usize) -> Vec<Vec<Nearest>> {
        self.found(queries, k)
    }
}

#[allow(clippy::cast_precision_loss)] // counts below 2^53
fn share_found(found: &[Vec<Nearest>], exact: &[Vec<Nearest>]) -> f64 {
    let (mut hits, mut all) = (0, 0);
    for (found, exact) in found.iter().zip(exact) {
        all += exact.len();
        let farthest = exact.last().map_or(0.0, |n| n.distance);
        hits += found.iter().filter(|n| n.distance <= farthest).count();
    }
    if all == 0 {
        1.0
    } else {
        hits as f64 / all as f64
    }
}

/// How rows and queries become single precision without leaving its range.
#[derive(Debug, Clone, Copy)]
struct Single {
    /// Directions alone count.
    cosine: bool,
    /// The largest element of the rows, which becomes 1.
    scale: f64,
}

impl Single {
    fn of(&self, values: &[f64]) -> Vec<f32> {
        // Far beyond all rows everybody is equally far; squares of this still fit.
        const FARTHEST: f64 = 1e15;
        let largest = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let (scale, norm) = if self.cosine {
            let square: f64 = values.iter().map(|x| (x / largest) * (x / largest)).sum();
            (largest, square.sqrt())
        } else {
            (self.scale, 1.0)
        };
        #[allow(clippy::cast_possible_truncation)] // candidates are compared in f64
        let single = |x: &f64| (x / scale / norm).clamp(-FARTHEST, FARTHEST) as f32;
        values.iter().map(single).collect()
    }
}
