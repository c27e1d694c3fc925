//! Similarity by the leaf of a decision tree.

use std::fmt;
use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView2, Axis};
use xai_core::describe::{Parameter, Parameters};
use xai_core::distance::DistanceFunction;
use xai_core::tensor::Rows;
use xai_core::{Distance, Result, parallel};

use crate::input;
use crate::search::engine::Engine;
use crate::search::k_nearest::KNearest;
use crate::search::nearest::Nearest;
use crate::search::neighbor_search::{NeighborSearch, among, check_distances};
use crate::similarity::closure::{ClosureError, in_batches};
use crate::similarity::leaf_index::{LeafIndex, check_row_count};
use crate::similarity::retrieval::{Fitting, Retrieval, Samples};
use crate::training::matrix::Matrix;
use crate::training::rows::TrainingRows;

type Leaves = dyn Fn(ArrayView2<'_, f64>) -> Result<Vec<u32>, ClosureError> + Send + Sync;

/// What happens when a leaf has fewer than `k` training rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
pub enum Overflow {
    /// The explanation has fewer neighbours.
    #[default]
    Truncate,
    /// The nearest rows of other leaves follow, by distance.
    Nearest,
}

/// Rows are similar that end in the same leaf of a decision tree; within a leaf, and beyond it, by
/// their distance in features.
///
/// The closure maps `(m, d)` rows, as they were handed in, to the number of each row's leaf; it is
/// called with at most 1 024 rows. Distances in the explanation are those of the features, so they
/// start again where [`Overflow::Nearest`] leaves the leaf.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::CaseExplainer;
/// use xai_casebased::similarity::{Overflow, TreeLeaf};
/// let leaves = TreeLeaf::new(|rows| Ok::<_, std::convert::Infallible>(
///     rows.rows().into_iter().map(|row| u32::from(row[0] > 0.0)).collect(),
/// ));
/// let train = array![[-0.1], [0.5], [2.0]];
/// let explainer = CaseExplainer::builder().k(3).scale(false)
///     .similarity(leaves.overflow(Overflow::Nearest)).fit(train.view(), &[0, 1, 1])?;
/// let explanation = explainer.explain(array![0.1].view(), 1)?;
/// let order: Vec<_> = explanation.neighbors.iter().map(|case| case.index).collect();
/// assert_eq!(order, [1, 2, 0]); // row 0 is nearest, and in the other leaf
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Clone, Parameters)]
pub struct TreeLeaf {
    #[param(skip)]
    leaves: Arc<Leaves>,
    /// What happens when a leaf has fewer than `k` training rows.
    overflow: Overflow,
}

impl fmt::Debug for TreeLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeLeaf")
            .field("overflow", &self.overflow)
            .finish_non_exhaustive()
    }
}

impl TreeLeaf {
    /// Leaf numbers by a closure.
    pub fn new<E: Into<ClosureError>>(
        leaves: impl Fn(ArrayView2<'_, f64>) -> Result<Vec<u32>, E> + Send + Sync + 'static,
    ) -> Self {
        Self {
            leaves: Arc::new(move |rows| leaves(rows).map_err(Into::into)),
            overflow: Overflow::default(),
        }
    }

    fn leaves_of(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<u32>> {
        in_batches(input::LEAVES, rows, |batch| {
            let leaves = (self.leaves)(batch)?;
            Ok(Array1::from(leaves).insert_axis(Axis(1)))
        })
    }

    pub(crate) fn fit(self, fitting: Fitting<'_>) -> Result<TreeLeafSearch> {
        check_row_count(fitting.train.n_rows())?;
        let distance = fitting.distance;
        let scaled = Matrix::new(fitting.scaled()?);
        let compared = match fitting.standardization {
            Some(_) => input::TRAIN_SCALED,
            None => input::TRAIN,
        };
        distance.check_rows(compared, scaled.view())?;
        let leaves = self.leaves_of(fitting.train.view())?;
        let beyond = match self.overflow {
            Overflow::Truncate => None,
            Overflow::Nearest => {
                let rows = TrainingRows::finite(scaled.clone(), distance)?;
                Some(fitting.engine.over(rows, distance, fitting.k)?)
            }
        };
        Ok(TreeLeafSearch {
            index: LeafIndex::new(leaves.iter().copied()),
            distance: distance.clone(),
            scaled,
            beyond,
            strategy: self,
        })
    }
}

/// A tree's leaves over a training set.
pub(crate) struct TreeLeafSearch {
    strategy: TreeLeaf,
    index: LeafIndex,
    distance: Distance,
    scaled: Matrix,
    /// The nearest rows of any leaf, where a leaf with too few rows overflows.
    beyond: Option<Box<dyn NeighborSearch>>,
}

impl Retrieval for TreeLeafSearch {
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Vec<Nearest>>> {
        self.distance.check_rows(input::QUERIES, samples.scaled)?;
        let leaves = self.strategy.leaves_of(samples.original)?;
        let queries = Rows::new(samples.scaled);
        let mut found = parallel::map(queries.n_rows(), |sample| {
            self.nearest_in_leaf(queries.row(sample), leaves[[sample, 0]], k)
        });
        if let Some(search) = &self.beyond {
            self.fill_up(&mut found, search.as_ref(), samples, &leaves, k)?;
        }
        check_distances(&found)?;
        Ok(found)
    }

    fn engine(&self) -> Option<Engine> {
        self.beyond.as_ref().map(|search| search.engine())
    }

    fn recall(&self) -> Option<f64> {
        self.beyond.as_ref().and_then(|search| search.recall())
    }
}

impl TreeLeafSearch {
    fn nearest_in_leaf(&self, query: &[f64], leaf: u32, k: usize) -> Vec<Nearest> {
        let mut best = KNearest::new(k.min(self.scaled.n_rows()));
        for &row in self.index.rows(leaf) {
            let index = row as usize;
            best.offer(Nearest {
                index,
                distance: self.distance.distance(self.scaled.row(index), query),
            });
        }
        best.into_vec()
    }

    /// Adds the nearest rows of other leaves where there are fewer than `k`.
    fn fill_up(
        &self,
        found: &mut [Vec<Nearest>],
        search: &dyn NeighborSearch,
        samples: Samples<'_>,
        leaves: &Array2<u32>,
        k: usize,
    ) -> Result<()> {
        let short: Vec<usize> = (0..found.len()).filter(|&i| found[i].len() < k).collect();
        // Of the k nearest rows of any leaf, at most those of this leaf are in it.
        let nearest = search
            .nearest_batch(samples.scaled.select(Axis(0), &short).view(), k)
            .map_err(|e| among(e, &short))?;
        for (sample, nearest) in short.into_iter().zip(nearest) {
            let inside = self.index.rows(leaves[[sample, 0]]);
            let outside = nearest.into_iter().filter(|n| {
                u32::try_from(n.index).is_ok_and(|i| inside.binary_search(&i).is_err())
            });
            let free = k - found[sample].len();
            found[sample].extend(outside.take(free));
        }
        Ok(())
    }
}
