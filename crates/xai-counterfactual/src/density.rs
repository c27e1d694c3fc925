//! Neighbours of the training rows among each other, and their local density.

use std::collections::BTreeMap;
use std::sync::Arc;

use xai_core::ExactMean;
use xai_neighbors::Nearest;

/// Distances and densities of training rows among each other, kept once they are computed.
#[derive(Debug, Default)]
pub(crate) struct OwnNeighbors {
    /// By the number of neighbours.
    pub(crate) densities: Vec<(usize, Arc<Density>)>,
    /// By class, the distance of each of its rows to the nearest other one of the class.
    pub(crate) within: BTreeMap<i64, Arc<Vec<f64>>>,
    /// For each training row, the distance to the nearest one of another class: NaN if it is not known yet, ∞ if it is
    /// undefined. Empty until the first is needed.
    pub(crate) unlike: Vec<f64>,
}

/// Local density of the training rows, by the neighbours of each among the others (Breunig et al. 2000).
#[derive(Debug)]
pub(crate) struct Density {
    /// Distance of the last neighbour of each training row.
    last: Vec<f64>,
    /// Mean reachability distance of each training row to its neighbours.
    reachability: Vec<f64>,
}

/// Indices of the neighbours of each training row. Their distances, which take twice the memory, are computed again.
#[derive(Debug, Default)]
pub(crate) struct NeighborIndices {
    /// Position after the last neighbour of each row.
    ends: Vec<usize>,
    // There are fewer training rows than 2³², see `Reference::new`.
    indices: Vec<u32>,
    /// Distance of the last neighbour of each row.
    last: Vec<f64>,
}

impl NeighborIndices {
    /// Adds the neighbours of the next row.
    pub(crate) fn push(&mut self, found: &[Nearest]) {
        let indices = found.iter().map(|near| near.index as u32);
        self.indices.extend(indices);
        self.ends.push(self.indices.len());
        let last = found.last().map_or(0.0, |near| near.distance);
        self.last.push(last);
    }

    /// The neighbours of a row, at distances from this function.
    fn neighbors(
        &self,
        row: usize,
        distance: impl Fn(usize) -> f64,
    ) -> impl Iterator<Item = Nearest> {
        let first = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.indices[first..self.ends[row]]
            .iter()
            .map(move |&index| {
                let index = index as usize;
                Nearest {
                    index,
                    distance: distance(index),
                }
            })
    }
}

impl Density {
    /// Computes the density of the training rows from their neighbours, at least one each, and the distance of two of
    /// them.
    pub(crate) fn new(
        mut neighbors: NeighborIndices,
        distance: impl Fn(usize, usize) -> f64 + Sync + Send,
    ) -> Self {
        let mut density = Self {
            last: std::mem::take(&mut neighbors.last),
            reachability: Vec::new(),
        };
        density.reachability = xai_core::parallel::map(density.last.len(), |row| {
            density.mean_reachability(neighbors.neighbors(row, |index| distance(row, index)))
        });
        density
    }

    /// Mean reachability distance of a row to its neighbours: their distance, or if larger that of their own last
    /// neighbour.
    fn mean_reachability(&self, near: impl Iterator<Item = Nearest>) -> f64 {
        let distances = near.map(|near| near.distance.max(self.last[near.index]));
        distances.collect::<ExactMean>().value().unwrap_or(0.0)
    }

    /// Local outlier factor of a row by its neighbours; `epsilon` is added to each mean.
    pub(crate) fn outlier_factor(&self, near: &[Nearest], epsilon: f64) -> Option<f64> {
        let own = self.mean_reachability(near.iter().copied()) + epsilon;
        let ratio = |near: &Nearest| {
            let other = self.reachability[near.index] + epsilon;
            if own == other {
                Some(1.0) // also 0 / 0
            } else {
                (other > 0.0).then(|| own / other)
            }
        };
        let ratios: Option<ExactMean> = near.iter().map(ratio).collect();
        ratios?.value()
    }
}
