//! Neighbours of the training rows among each other, and their local density.

use std::collections::BTreeMap;
use std::sync::Arc;

use xai_core::ExactMean;
use xai_neighbors::Nearest;

use crate::neighborhood::Neighborhood;

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

impl Density {
    /// Computes the density of `n` training rows from their neighbours, at least one each.
    pub(crate) fn new(neighborhood: &Neighborhood, n: usize) -> Self {
        let last = (0..n).map(|row| {
            neighborhood
                .neighbors(row)
                .last()
                .map_or(0.0, |near| near.distance)
        });
        let mut density = Self {
            last: last.collect(),
            reachability: Vec::new(),
        };
        density.reachability = xai_core::parallel::map(n, |row| {
            density.mean_reachability(neighborhood.neighbors(row))
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
