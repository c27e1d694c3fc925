//! Where neighbours come from.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2};
use xai_core::{Distance, Result};

use crate::search::engine::Engine;
use crate::search::nearest::Neighbors;
use crate::search::neighbor_search::NeighborSearch;
use crate::training::Matrix;
use crate::training::rows::TrainingRows;
use crate::training::standardization::Standardization;

/// What a similarity is fitted to: training rows that are checked, and the choices.
#[derive(Clone, Copy)]
pub(crate) struct Fitting<'a> {
    /// As they were handed in: finite, of which there are some.
    pub(crate) train: &'a Arc<Matrix>,
    /// How features are scaled, where they are.
    pub(crate) standardization: Option<&'a Arc<Standardization>>,
    pub(crate) distance: &'a Distance,
    pub(crate) engine: Engine,
    /// Neighbours that will be asked for.
    pub(crate) k: usize,
}

impl Fitting<'_> {
    /// The rows as engines compare them, checked for the distance.
    pub(crate) fn rows(&self) -> Result<TrainingRows> {
        let standardization = self.standardization.cloned();
        TrainingRows::checked(self.train.clone(), standardization, self.distance)
    }

    /// The chosen search over checked rows.
    pub(crate) fn search(&self, rows: TrainingRows) -> Result<Box<dyn NeighborSearch>> {
        self.engine.over(rows, self.distance, self.k)
    }

    /// A copy of the rows, scaled.
    pub(crate) fn scaled(&self) -> Result<Array2<f64>> {
        match self.standardization {
            Some(s) => s.apply(self.train.view()),
            None => Ok(self.train.view().to_owned()),
        }
    }
}

/// Samples whose neighbours are wanted: checked, finite, and as many predictions as rows.
#[derive(Clone, Copy)]
pub(crate) struct Samples<'a> {
    /// As they were handed in.
    pub(crate) original: ArrayView2<'a, f64>,
    /// Scaled as the training rows are.
    pub(crate) scaled: ArrayView2<'a, f64>,
    /// The predicted classes, where there are any.
    pub(crate) predicted: Option<&'a [i64]>,
}

/// A way to say which training rows are near a sample.
///
/// Errors about the scaled samples are about [`input::QUERIES`](crate::input::QUERIES).
pub(crate) trait Retrieval: Send + Sync {
    /// The nearest `k` training rows of every sample.
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Neighbors>>;

    /// The engine that searches; `None` where that is not one of them.
    fn engine(&self) -> Option<Engine> {
        None
    }

    /// The share of true neighbours that are found; `None` where all are.
    fn recall(&self) -> Option<f64> {
        None
    }
}

/// Rows are similar whose features are near, as they are scaled.
impl Retrieval for Box<dyn NeighborSearch> {
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Neighbors>> {
        self.nearest_batch(samples.scaled, k)
    }

    fn engine(&self) -> Option<Engine> {
        Some((**self).engine())
    }

    fn recall(&self) -> Option<f64> {
        (**self).recall()
    }
}
