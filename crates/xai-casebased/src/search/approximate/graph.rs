//! Rows linked to their neighbours.

use anndists::dist::{DistCosine, DistL1, DistL2};
use hnsw_rs::prelude::Hnsw as Graph;
use xai_core::distance::DistanceFunction;
use xai_core::{Distance, Error, Result, parallel};

use crate::input;
use crate::search::hnsw::Hnsw;
use crate::search::k_nearest::KNearest;
use crate::search::nearest::{Nearest, Neighbors};
use crate::search::queries::Queries;
use crate::training::rows::TrainingRows;

/// Rows with their links.
pub(crate) struct LinkedRows {
    rows: TrainingRows,
    compared_by: Distance,
    links: Links,
    single: Single,
    ef_search: usize,
}

enum Links {
    L2(Graph<'static, f32, DistL2>),
    L1(Graph<'static, f32, DistL1>),
    Cosine(Graph<'static, f32, DistCosine>),
}

/// Layers of the graph; the levels of a billion rows fit.
const LAYERS: usize = 16;

impl Links {
    /// No links yet, for rows that are compared by this distance.
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
    /// Links prepared rows, one after another.
    pub(crate) fn new(rows: TrainingRows, compared_by: Distance, hnsw: Hnsw) -> Result<Self> {
        let n = rows.n_rows();
        let links = Links::new(&compared_by, n, hnsw)?;
        let mut row = vec![0.0; rows.n_features()];
        let mut largest = 0.0f64;
        for i in 0..n {
            rows.write(i, &mut row);
            largest = row.iter().fold(largest, |m, x| m.max(x.abs()));
        }
        let single = Single {
            cosine: matches!(compared_by, Distance::Cosine),
            scale: if largest.is_normal() { largest } else { 1.0 },
        };
        for i in 0..n {
            parallel::check_stopped();
            rows.write(i, &mut row);
            let single = single.of(&row);
            match &links {
                Links::L2(graph) => graph.insert((&single, i)),
                Links::L1(graph) => graph.insert((&single, i)),
                Links::Cosine(graph) => graph.insert((&single, i)),
            }
        }
        Ok(Self {
            rows,
            compared_by,
            links,
            single,
            ef_search: hnsw.ef_search,
        })
    }

    pub(crate) fn rows(&self) -> &TrainingRows {
        &self.rows
    }

    /// What the prepared rows are compared by.
    pub(crate) fn compared_by(&self) -> &Distance {
        &self.compared_by
    }

    pub(crate) fn search(&self, queries: &Queries<'_>, k: usize) -> Vec<Neighbors> {
        let k = k.min(self.rows.n_rows());
        parallel::map(queries.len(), |i| {
            let mut best = KNearest::new(k);
            if k == 0 {
                return best.into_neighbors();
            }
            let query = queries.row(i);
            let single = self.single.of(query);
            let ef = self.ef_search.max(k);
            let candidates = match &self.links {
                Links::L2(graph) => graph.search(&single, k, ef),
                Links::L1(graph) => graph.search(&single, k, ef),
                Links::Cosine(graph) => graph.search(&single, k, ef),
            };
            let mut row = vec![0.0; query.len()];
            for candidate in candidates {
                self.rows.write(candidate.d_id, &mut row);
                best.offer(Nearest {
                    index: candidate.d_id,
                    distance: self.compared_by.distance(&row, query),
                });
            }
            best.into_neighbors()
        })
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
        // Far beyond all rows all queries are equally far; squares of this still fit.
        const FARTHEST: f64 = 1e15;
        let largest = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let (scale, norm) = if self.cosine {
            let square: f64 = values.iter().map(|x| (x / largest) * (x / largest)).sum();
            (largest, square.sqrt())
        } else {
            (self.scale, 1.0)
        };
        // Candidates are compared in f64.
        let single = |x: &f64| (x / scale / norm).clamp(-FARTHEST, FARTHEST) as f32;
        values.iter().map(single).collect()
    }
}
