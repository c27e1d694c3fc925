//! The graph of an approximate search.

use anndists::dist::{DistCosine, DistL1, DistL2};
use hnsw_rs::prelude::Hnsw as Graph;
use xai_core::distance::DistanceFunction;
use xai_core::{Distance, Error, Result, parallel, stop};

use crate::hnsw::Hnsw;
use crate::input;
use crate::k_nearest::KNearest;
use crate::nearest::{Nearest, Neighbors};
use crate::queries::Queries;
use crate::training_rows::TrainingRows;

/// Prepared rows with their graph.
pub(crate) struct LinkedRows {
    rows: TrainingRows,
    prepared_distance: Distance,
    links: Links,
    /// Conversion of rows and queries for the graph, which stores single precision.
    single: SinglePrecision,
    ef_search: usize,
}

/// The graph. `hnsw_rs` chooses the distance at compile time.
enum Links {
    L2(Graph<'static, f32, DistL2>),
    L1(Graph<'static, f32, DistL1>),
    Cosine(Graph<'static, f32, DistCosine>),
}

/// Layers of the graph, the maximum of `hnsw_rs`. With 16 connections a billion rows need about 8 (`log₁₆ n`).
const LAYERS: usize = 16;

impl Links {
    /// Creates an empty graph for rows that are compared by this distance.
    fn new(distance: &Distance, n_rows: usize, hnsw: Hnsw) -> Result<Self> {
        let (links, ef) = (hnsw.connections, hnsw.ef_construction);
        Ok(match distance {
            Distance::Euclidean | Distance::SquaredEuclidean | Distance::Minkowski(2.0) => {
                Self::L2(Graph::new(links, n_rows, LAYERS, ef, DistL2 {}))
            }
            Distance::Manhattan => Self::L1(Graph::new(links, n_rows, LAYERS, ef, DistL1 {})),
            Distance::Cosine => Self::Cosine(Graph::new(links, n_rows, LAYERS, ef, DistCosine {})),
            other => {
                return Err(Error::parameter(
                    input::DISTANCE,
                    other,
                    "euclidean, squared-euclidean, manhattan, minkowski:1, minkowski:2, cosine, correlation \
                     or mahalanobis in an approximate search",
                ));
            }
        })
    }
}

impl LinkedRows {
    /// Builds the graph over prepared rows.
    pub(crate) fn new(rows: TrainingRows, prepared_distance: Distance, hnsw: Hnsw) -> Result<Self> {
        let n = rows.n_rows();
        let links = Links::new(&prepared_distance, n, hnsw)?;
        // A first pass finds the scale, because the graph cannot be rescaled later.
        let mut row = vec![0.0; rows.n_features()];
        let mut largest = 0.0f64;
        for i in 0..n {
            rows.write(i, &mut row);
            largest = row.iter().fold(largest, |m, x| m.max(x.abs()));
        }
        let single = SinglePrecision {
            normalize: matches!(prepared_distance, Distance::Cosine),
            scale: if largest.is_normal() { largest } else { 1.0 },
        };
        // One after another: parallel insertion would make the graph depend on the timing of the threads.
        for i in 0..n {
            stop::check_stopped();
            rows.write(i, &mut row);
            let converted = single.convert(&row);
            match &links {
                Links::L2(graph) => graph.insert((&converted, i)),
                Links::L1(graph) => graph.insert((&converted, i)),
                Links::Cosine(graph) => graph.insert((&converted, i)),
            }
        }
        Ok(Self {
            rows,
            prepared_distance,
            links,
            single,
            ef_search: hnsw.ef_search,
        })
    }

    pub(crate) fn rows(&self) -> &TrainingRows {
        &self.rows
    }

    /// Distance between prepared rows.
    pub(crate) fn prepared_distance(&self) -> &Distance {
        &self.prepared_distance
    }

    /// Searches the graph, and sorts its answer by the exact distances.
    pub(crate) fn search(&self, queries: &Queries<'_>, k: usize) -> Vec<Neighbors> {
        let k = k.min(self.rows.n_rows());
        parallel::map(queries.len(), |i| {
            let mut best = KNearest::new(k);
            if k == 0 {
                return best.into_neighbors();
            }
            let query = queries.row(i);
            let single = self.single.convert(query);
            let ef = self.ef_search.max(k);
            let candidates = match &self.links {
                Links::L2(graph) => graph.search(&single, k, ef),
                Links::L1(graph) => graph.search(&single, k, ef),
                Links::Cosine(graph) => graph.search(&single, k, ef),
            };
            // The graph ordered its answer by distances in single precision.
            let mut row = vec![0.0; query.len()];
            for candidate in candidates {
                self.rows.write(candidate.d_id, &mut row);
                best.offer(Nearest {
                    index: candidate.d_id,
                    distance: self.prepared_distance.distance(&row, query),
                });
            }
            best.into_neighbors()
        })
    }
}

/// Conversion of rows and queries to single precision without overflow.
#[derive(Debug, Clone, Copy)]
struct SinglePrecision {
    /// Whether vectors are normalised to length 1, for cosine.
    normalize: bool,
    /// Divisor of all values otherwise: the largest magnitude of the rows, which becomes 1.
    scale: f64,
}

impl SinglePrecision {
    fn convert(&self, values: &[f64]) -> Vec<f32> {
        // For a query this far away, all rows are equally far in single precision. Sums of squares of this bound do not
        // overflow `f32`.
        const FARTHEST: f64 = 1e15;
        let largest = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let (scale, norm) = if self.normalize {
            // Dividing by the largest element first keeps the squares in the range of `f64`.
            let square: f64 = values.iter().map(|x| (x / largest) * (x / largest)).sum();
            (largest, square.sqrt())
        } else {
            (self.scale, 1.0)
        };
        let to_single = |x: &f64| (x / scale / norm).clamp(-FARTHEST, FARTHEST) as f32;
        values.iter().map(to_single).collect()
    }
}
