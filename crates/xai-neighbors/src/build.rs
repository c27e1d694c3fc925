//! Construction of a search from an [`Engine`].

use ndarray::ArrayView2;
use xai_core::{Distance, Result};

#[cfg(feature = "approximate")]
use crate::approximate::ApproximateSearch;
use crate::auto;
use crate::brute_force::BruteForce;
use crate::engine::Engine;
use crate::kd_tree::KdTree;
use crate::neighbor_search::NeighborSearch;
use crate::training_rows::TrainingRows;

/// Number of neighbours that [`Engine::build`] optimises for: the default of explainers.
const USUAL_K: usize = 5;

impl Engine {
    /// Builds this engine over `(n, d)` training rows. [`Auto`](Self::Auto) chooses for searches of 5
    /// neighbours.
    ///
    /// # Errors
    /// Those of `new` of the engine: [`KdTree::new`], [`BruteForce::new`] or, with the feature `approximate`,
    /// `ApproximateSearch::new`.
    ///
    /// ```
    /// use ndarray::Array2;
    /// use xai_neighbors::{Distance, Engine};
    /// let train = Array2::from_shape_fn((600, 3), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
    /// let chosen = Engine::Auto.build(train.view(), Distance::Manhattan)?;
    /// let scan = Engine::BruteForce.build(train.view(), Distance::Manhattan)?;
    /// assert_eq!(chosen.nearest(&[1.0, 2.0, 3.0], 4)?, scan.nearest(&[1.0, 2.0, 3.0], 4)?);
    /// # Ok::<(), xai_neighbors::Error>(())
    /// ```
    pub fn build(
        self,
        train: ArrayView2<'_, f64>,
        distance: Distance,
    ) -> Result<Box<dyn NeighborSearch>> {
        self.build_for(train, distance, USUAL_K)
    }

    /// As [`build`](Self::build), for searches of about `k` neighbours. The result answers searches of any
    /// number of neighbours; for a very different number, another engine may be faster.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    ///
    /// ```
    /// use ndarray::Array2;
    /// use xai_neighbors::{Distance, Engine};
    /// let train = Array2::from_shape_fn((2_000, 2), |(i, j)| ((i * (j + 7)) % 1_999) as f64);
    /// let engine = |k| Ok(Engine::Auto.build_for(train.view(), Distance::Manhattan, k)?.engine());
    /// assert_eq!((engine(5)?, engine(2_000)?), (Engine::KdTree, Engine::BruteForce));
    /// # Ok::<(), xai_neighbors::Error>(())
    /// ```
    pub fn build_for(
        self,
        train: ArrayView2<'_, f64>,
        distance: Distance,
        k: usize,
    ) -> Result<Box<dyn NeighborSearch>> {
        self.check()?;
        self.build_over(TrainingRows::from_array(train, &distance)?, &distance, k)
    }

    /// Checks the parameters of the engine.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a parameter outside its domain.
    pub fn check(&self) -> Result<()> {
        match self {
            #[cfg(feature = "approximate")]
            Self::Approximate(hnsw) => xai_core::describe::Parameters::check_params(hnsw),
            _ => Ok(()),
        }
    }

    /// Builds this engine over checked rows, for searches of about `k` neighbours. The parameters of the engine must be
    /// [checked](Self::check), and the rows for this distance.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_over(
        self,
        rows: TrainingRows,
        distance: &Distance,
        k: usize,
    ) -> Result<Box<dyn NeighborSearch>> {
        let distance = distance.clone();
        Ok(match self {
            Self::Auto => auto::fastest(rows, distance, k)?,
            Self::KdTree => Box::new(KdTree::from_rows(rows, distance)?),
            Self::BruteForce => Box::new(BruteForce::from_rows(rows, distance)?),
            #[cfg(feature = "approximate")]
            Self::Approximate(hnsw) => {
                Box::new(ApproximateSearch::from_rows(rows, distance, hnsw)?)
            }
        })
    }
}
