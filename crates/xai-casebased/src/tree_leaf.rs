//! Similarity by the leaf of a decision tree.

use std::fmt;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, Axis};
use xai_core::{Distance, Error, Metric, Result, parallel};

use crate::k_nearest::KNearest;
use crate::leaf_index::LeafIndex;
use crate::retrieval::{ClosureError, Retrieval, Samples, among, in_batches};
use crate::search::check_distances;
use crate::{Engine, Nearest, NeighborSearch};

type Leaves = dyn Fn(ArrayView2<'_, f64>) -> Result<Vec<u32>, ClosureError> + Send + Sync;

/// What happens when a leaf has fewer than `k` training rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Overflow {
    /// The explanation has fewer neighbours (the default, and the peer's).
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
/// use xai_casebased::{CaseExplainer, Overflow, TreeLeaf};
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
#[derive(Clone)]
pub struct TreeLeaf {
    leaves: Arc<Leaves>,
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

    /// What happens when a leaf has too few rows.
    #[must_use]
    pub fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = overflow;
        self
    }

    fn leaves_of(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<u32>> {
        in_batches("leaves", rows, |batch| {
            let leaves = (self.leaves)(batch)?;
            let n = leaves.len();
            Ok(Array2::from_shape_vec((n, 1), leaves)?)
        })
    }

    pub(crate) fn fit(
        self,
        train: ArrayView2<'_, f64>,
        scaled: Array2<f64>,
        metric: &Metric,
        engine: Engine,
    ) -> Result<TreeLeafSearch> {
        let leaves = self.leaves_of(train)?;
        Ok(TreeLeafSearch {
            index: LeafIndex::new(leaves.iter().copied()),
            metric: metric.clone(),
            features: match self.overflow {
                Overflow::Truncate => None,
                Overflow::Nearest => {
                    Some(crate::explainer::search_of(scaled.clone(), metric, engine)?)
                }
            },
            scaled,
            strategy: self,
        })
    }
}

/// A tree's leaves over a training set.
pub(crate) struct TreeLeafSearch {
    strategy: TreeLeaf,
    index: LeafIndex,
    metric: Metric,
    scaled: Array2<f64>,
    /// The nearest rows of any leaf, for overflow.
    features: Option<Box<dyn NeighborSearch>>,
}

impl Retrieval for TreeLeafSearch {
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Vec<Nearest>>> {
        self.metric.check_rows("samples", samples.scaled)?;
        let leaves = self.strategy.leaves_of(samples.original)?;
        let d = self.scaled.ncols();
        let values = self.scaled.as_slice().unwrap_or_default();
        let mut found = parallel::map(samples.scaled.nrows(), |sample| {
            let query = samples.scaled.row(sample).to_vec();
            let mut best = KNearest::new(k.min(self.scaled.nrows()));
            for &row in self.index.rows(leaves[[sample, 0]]) {
                let index = row as usize;
                best.offer(Nearest {
                    index,
                    distance: self
                        .metric
                        .distance(&values[index * d..(index + 1) * d], &query),
                });
            }
            best.into_vec()
        });
        if let Some(features) = &self.features {
            let short: Vec<usize> = (0..found.len()).filter(|&i| found[i].len() < k).collect();
            // Of the k nearest rows of any leaf, at most those of this leaf are in it.
            let nearest = features
                .nearest_batch(samples.scaled.select(Axis(0), &short).view(), k)
                .map_err(among(&short))?;
            for (sample, nearest) in short.into_iter().zip(nearest) {
                let inside = self.index.rows(leaves[[sample, 0]]);
                let outside = nearest.into_iter().filter(|n| {
                    u32::try_from(n.index).is_ok_and(|i| inside.binary_search(&i).is_err())
                });
                let free = k - found[sample].len();
                found[sample].extend(outside.take(free));
            }
        }
        check_distances(&found)?;
        Ok(found)
    }

    fn recall(&self) -> Option<f64> {
        self.features
            .as_ref()
            .and_then(|features| features.recall())
    }
}

/// Leaf indices number rows with 32 bits.
pub(crate) fn check_row_count(n_rows: usize) -> Result<()> {
    match u32::try_from(n_rows) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::parameter("rows", n_rows, "fewer than 2^32 rows")),
    }
}
