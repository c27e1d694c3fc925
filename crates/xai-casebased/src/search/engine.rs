//! Which engine searches.

use std::fmt;
use std::str::FromStr;

use ndarray::ArrayView2;
use xai_core::{Distance, Error, Result};

use crate::input;
#[cfg(feature = "approximate")]
use crate::search::approximate::{ApproximateSearch, Hnsw};
use crate::search::brute_force::BruteForce;
use crate::search::brute_force::filter::Filter;
use crate::search::kd_tree::KdTree;
use crate::search::neighbor_search::NeighborSearch;
use crate::training::rows::TrainingRows;

/// How neighbours are searched. The exact engines give the same answer to the last bit and differ
/// in cost only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Engine {
    /// The exact engine that is expected to be fastest for the shape of the data: [`KdTree`] for
    /// few features, else [`BruteForce`].
    #[default]
    Auto,
    /// A scan over all training rows, by matrix products where the distance has an inner product.
    BruteForce,
    /// A tree of boxes, for the Minkowski family of distances.
    KdTree,
    /// A graph that finds most of the neighbours: never chosen by itself.
    #[cfg(feature = "approximate")]
    Approximate(Hnsw),
}

/// Up to how many features a tree is expected to beat a scan by matrix products, and one that takes
/// every distance: measured on independent normal features, the hardest case for a tree. It meets
/// the matrix products between 8 (10 000 rows) and 10 (300 000 rows) features, the full distances
/// between 10 and 12.
const TREE_FEATURES: usize = 9;
const TREE_FEATURES_WITHOUT_FILTER: usize = 11;

/// Below this many rows a tree has nothing to leave out.
const TREE_ROWS: usize = 512;

impl Engine {
    /// Builds this engine over `(n, d)` training rows.
    ///
    /// # Errors
    /// As [`KdTree::new`] and [`BruteForce::new`].
    ///
    /// ```
    /// use ndarray::Array2;
    /// use xai_casebased::search::Engine;
    /// use xai_casebased::Distance;
    /// let train = Array2::from_shape_fn((600, 3), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
    /// let chosen = Engine::Auto.build(train.view(), Distance::Manhattan)?;
    /// let scan = Engine::BruteForce.build(train.view(), Distance::Manhattan)?;
    /// assert_eq!(chosen.nearest(&[1.0, 2.0, 3.0], 4)?, scan.nearest(&[1.0, 2.0, 3.0], 4)?);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn build(
        self,
        train: ArrayView2<'_, f64>,
        distance: Distance,
    ) -> Result<Box<dyn NeighborSearch>> {
        self.check()?;
        self.over(TrainingRows::handed_in(train, &distance)?, &distance)
    }

    /// Checks the parameters of the engine.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            #[cfg(feature = "approximate")]
            Self::Approximate(hnsw) => hnsw.check(),
            _ => Ok(()),
        }
    }

    /// This engine over rows that are checked, with parameters that are.
    pub(crate) fn over(
        self,
        rows: TrainingRows,
        distance: &Distance,
    ) -> Result<Box<dyn NeighborSearch>> {
        let distance = distance.clone();
        Ok(
            match self.resolve(rows.n_rows(), rows.n_features(), &distance) {
                Self::KdTree => Box::new(KdTree::over(rows, distance)?),
                #[cfg(feature = "approximate")]
                Self::Approximate(hnsw) => Box::new(ApproximateSearch::over(rows, distance, hnsw)?),
                Self::Auto | Self::BruteForce => Box::new(BruteForce::over(rows, distance)?),
            },
        )
    }

    /// What [`Engine::Auto`] stands for with this many rows and features and this distance.
    #[must_use]
    pub fn resolve(self, n_rows: usize, n_features: usize, distance: &Distance) -> Self {
        match self {
            Self::Auto => {
                let most = match Filter::supports(distance, n_features) {
                    true => TREE_FEATURES,
                    false => TREE_FEATURES_WITHOUT_FILTER,
                };
                let tree = KdTree::supports(distance) && n_features <= most && n_rows >= TREE_ROWS;
                if tree { Self::KdTree } else { Self::BruteForce }
            }
            named => named,
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::BruteForce => "brute",
            Self::KdTree => "kd-tree",
            #[cfg(feature = "approximate")]
            Self::Approximate(_) => "hnsw",
        })
    }
}

impl FromStr for Engine {
    type Err = Error;

    /// `auto`, `brute`, `kd-tree`, or `hnsw` where approximate search is built in.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "auto" => Ok(Self::Auto),
            "brute" | "brute-force" => Ok(Self::BruteForce),
            "kd-tree" => Ok(Self::KdTree),
            #[cfg(feature = "approximate")]
            "hnsw" => Ok(Self::Approximate(Hnsw::default())),
            _ => Err(Error::parameter(
                input::ENGINE,
                name,
                if cfg!(feature = "approximate") {
                    "auto, brute, kd-tree or hnsw"
                } else {
                    "auto, brute or kd-tree"
                },
            )),
        }
    }
}
