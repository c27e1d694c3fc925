//! The interface of fitted similarities.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2};
use xai_core::{Distance, Error, Result};
use xai_neighbors::{
    CustomDistance, CustomScan, Engine, NeighborSearch, Neighbors, Standardization, TrainingRows,
};

use crate::training::Matrix;
use crate::{help, input};

/// Training rows and settings that a similarity is fitted to.
#[derive(Clone, Copy)]
pub(crate) struct Fitting<'a> {
    /// Unscaled rows; finite and at least one.
    pub(crate) train: &'a Arc<Matrix>,
    /// Standardisation of the features; `None` for unscaled features.
    pub(crate) standardization: Option<&'a Arc<Standardization>>,
    /// Distance between scaled rows; [`UNRESTRICTED`](xai_neighbors::UNRESTRICTED) for a custom one.
    pub(crate) distance: &'a Distance,
    /// The caller's own distance.
    pub(crate) custom_distance: Option<&'a CustomDistance>,
    pub(crate) engine: Engine,
    /// Number of neighbours that searches will request.
    pub(crate) k: usize,
}

impl Fitting<'_> {
    /// Training rows for a search, checked for the distance.
    pub(crate) fn rows(&self) -> Result<TrainingRows> {
        let standardization = self.standardization.cloned();
        TrainingRows::with_standardization(self.train.clone(), standardization, self.distance)
    }

    /// Builds the chosen engine over checked rows.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for an engine that does not support the
    /// distance.
    pub(crate) fn search(&self, rows: TrainingRows) -> Result<RowSearch> {
        match (self.custom_distance, self.engine) {
            (None, engine) => {
                let search = engine.build_over(rows, self.distance, self.k)?;
                Ok(RowSearch::Engine(search))
            }
            (Some(distance), Engine::Auto | Engine::BruteForce) => {
                Ok(RowSearch::Custom(CustomScan::new(rows, distance.clone())))
            }
            (Some(_), engine) => {
                let expected = format!("a distance by name, which the engine {engine} needs");
                let error = Error::parameter(input::DISTANCE, "a function", expected);
                Err(error.with_help(help::USE_BRUTE_FORCE))
            }
        }
    }

    /// A scaled copy of the rows.
    pub(crate) fn scaled_rows(&self) -> Result<Array2<f64>> {
        match self.standardization {
            Some(s) => s.apply(self.train.view()),
            None => Ok(self.train.view().to_owned()),
        }
    }
}

/// Samples to search the neighbours of. They are finite, and there is one prediction per row if there are any.
#[derive(Clone, Copy)]
pub(crate) struct Samples<'a> {
    /// Unscaled rows.
    pub(crate) original: ArrayView2<'a, f64>,
    /// Rows scaled like the training rows.
    pub(crate) scaled: ArrayView2<'a, f64>,
    /// Predicted classes; `None` if the neighbours vote.
    pub(crate) predicted: Option<&'a [i64]>,
}

/// A fitted similarity: it finds the training rows that are most similar to a sample.
///
/// Errors about the scaled samples are about [`input::QUERIES`](crate::input::QUERIES).
pub(crate) trait Retrieval: Send + Sync {
    /// Returns the nearest `k` training rows of every sample; fewer if the leaf of a tree has fewer.
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Neighbors>>;

    /// Search engine; `None` if no engine is used.
    fn engine(&self) -> Option<Engine> {
        None
    }

    /// Share of the true neighbours that are found; `None` for an exact search.
    fn recall(&self) -> Option<f64> {
        None
    }
}

/// A search for the nearest rows by a known or a custom distance.
pub(crate) enum RowSearch {
    Engine(Box<dyn NeighborSearch>),
    Custom(CustomScan),
}

impl RowSearch {
    /// As [`NeighborSearch::nearest_batch`].
    pub(crate) fn nearest_batch(
        &self,
        queries: ArrayView2<'_, f64>,
        k: usize,
    ) -> Result<Vec<Neighbors>> {
        match self {
            Self::Engine(search) => search.nearest_batch(queries, k),
            Self::Custom(scan) => scan.nearest_batch(queries, k),
        }
    }
}

/// Similarity by the distance between scaled features.
impl Retrieval for RowSearch {
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Neighbors>> {
        self.nearest_batch(samples.scaled, k)
    }

    fn engine(&self) -> Option<Engine> {
        match self {
            Self::Engine(search) => Some(search.engine()),
            Self::Custom(_) => Some(Engine::BruteForce),
        }
    }

    fn recall(&self) -> Option<f64> {
        match self {
            Self::Engine(search) => search.recall(),
            Self::Custom(_) => None,
        }
    }
}
