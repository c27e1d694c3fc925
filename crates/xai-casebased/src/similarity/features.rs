//! Similarity in features.

use xai_core::Result;

use crate::search::engine::Engine;
use crate::search::nearest::Nearest;
use crate::search::neighbor_search::NeighborSearch;
use crate::similarity::retrieval::{Fitting, Retrieval, Samples};
use crate::training::rows::TrainingRows;

/// Rows are similar whose features are near, as they are scaled.
pub(crate) struct FeatureSearch(Box<dyn NeighborSearch>);

impl FeatureSearch {
    pub(crate) fn fit(fitting: Fitting<'_>) -> Result<Self> {
        let rows = TrainingRows::checked(
            fitting.train.clone(),
            fitting.standardization.cloned(),
            fitting.distance,
        )?;
        Ok(Self(fitting.engine.over(
            rows,
            fitting.distance,
            fitting.k,
        )?))
    }
}

impl Retrieval for FeatureSearch {
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Vec<Nearest>>> {
        self.0.nearest_batch(samples.scaled, k)
    }

    fn engine(&self) -> Option<Engine> {
        Some(self.0.engine())
    }

    fn recall(&self) -> Option<f64> {
        self.0.recall()
    }
}
