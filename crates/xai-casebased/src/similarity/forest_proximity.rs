//! Similarity by shared leaves of a random forest.

use ndarray::{Array2, ArrayView2};
use xai_core::tensor::check_shape;
use xai_core::{Result, parallel};
use xai_neighbors::{KNearest, Nearest, Neighbors};

use crate::input;
use crate::similarity::closure::{Closure, ClosureError};
use crate::similarity::leaf_index::{LeafIndex, check_row_count};
use crate::similarity::retrieval::{Fitting, Retrieval, Samples};

/// Similarity by the share of the trees of a forest in which two rows have the same leaf.
///
/// ```text
/// distance = 1 − (trees in which the two rows share a leaf) / trees
/// ```
///
/// 0 = the same leaf in every tree, 1 = in none. The closure maps `(m, d)` unscaled rows to `(m, trees)` leaf
/// numbers; it is called with at most 1 024 rows at a time. A search only visits the rows that share a leaf with the
/// query; if these are fewer than `k`, the other rows with the lowest indices follow at distance 1.
///
/// ```
/// use ndarray::{Array2, array};
/// use xai_casebased::CaseExplainer;
/// use xai_casebased::similarity::ForestProximity;
/// let forest = ForestProximity::new(|rows| Ok::<_, std::convert::Infallible>(
///     Array2::from_shape_fn((rows.nrows(), 2), |(i, tree)| u32::from(rows[[i, tree]] > 0.0)),
/// ));
/// let train = array![[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0]];
/// let explainer = CaseExplainer::builder().k(2).similarity(forest).fit(train.view(), &[0, 0, 1])?;
/// let explanation = explainer.explain(array![9.0, 9.0].view(), 1)?;
/// let found: Vec<_> = explanation.cases.iter().map(|c| (c.index, c.distance)).collect();
/// assert_eq!(found, [(2, 0.0), (1, 0.5)]);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// L. Breiman and A. Cutler, "Random forests", 2001; case-explainer 0.2.0.
#[derive(Debug, Clone)]
pub struct ForestProximity {
    leaves: Closure<u32>,
}

impl ForestProximity {
    /// Creates a similarity from a closure that computes the leaf numbers.
    pub fn new<E: Into<ClosureError>>(
        leaves: impl Fn(ArrayView2<'_, f64>) -> Result<Array2<u32>, E> + Send + Sync + 'static,
    ) -> Self {
        Self {
            leaves: Closure::new(leaves),
        }
    }

    pub(crate) fn fit(self, fitting: Fitting<'_>) -> Result<ForestSearch> {
        check_row_count(fitting.train.n_rows())?;
        let leaves = self.leaves.evaluate(input::LEAVES, fitting.train.view())?;
        let trees = parallel::map(leaves.ncols(), |tree| {
            LeafIndex::new(leaves.column(tree).iter().copied())
        });
        Ok(ForestSearch {
            leaves: self.leaves,
            trees,
            n_rows: fitting.train.n_rows(),
        })
    }
}

/// Leaves of a forest with their training rows.
pub(crate) struct ForestSearch {
    leaves: Closure<u32>,
    trees: Vec<LeafIndex>,
    n_rows: usize,
}

/// Samples that share one table of counts, which has an element for every training row.
const SAMPLES: usize = 16;

impl Retrieval for ForestSearch {
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Neighbors>> {
        let leaves = self.leaves.evaluate(input::LEAVES, samples.original)?;
        let expected = [leaves.nrows(), self.trees.len()];
        check_shape(input::LEAVES, &expected, leaves.shape())?;
        let blocks = parallel::map_blocks(leaves.nrows(), SAMPLES, |block| {
            let mut shared = vec![0u32; self.n_rows];
            block
                .map(|sample| self.search(leaves.row(sample).iter().copied(), k, &mut shared))
                .collect::<Vec<_>>()
        });
        Ok(blocks.into_iter().flatten().collect())
    }
}

impl ForestSearch {
    /// Returns the neighbours of the sample with these leaves. `shared` is a buffer for the number of shared leaves
    /// of every training row, all 0 before and after the call.
    fn search(&self, leaves: impl Iterator<Item = u32>, k: usize, shared: &mut [u32]) -> Neighbors {
        // Only the rows that were counted are offered and reset, so the cost depends on the sizes of the leaves,
        // not on the number of training rows.
        let mut touched = Vec::new();
        for (tree, leaf) in self.trees.iter().zip(leaves) {
            for &row in tree.rows(leaf) {
                let count = &mut shared[row as usize];
                if *count == 0 {
                    touched.push(row as usize);
                }
                *count += 1;
            }
        }
        let mut best = KNearest::new(k.min(self.n_rows));
        for &index in &touched {
            let share = f64::from(shared[index]) / self.trees.len() as f64;
            best.offer(Nearest {
                index,
                distance: 1.0 - share,
            });
        }
        // Rows that share no leaf are all at distance 1. Those with the lowest index fill up the list; the others
        // tie with them.
        let mut n_left_out = 0;
        if touched.len() < k {
            let others = (0..self.n_rows).filter(|&row| shared[row] == 0);
            for index in others.take(k - touched.len()) {
                best.offer(Nearest {
                    index,
                    distance: 1.0,
                });
            }
            n_left_out = self.n_rows.saturating_sub(k);
        }
        for index in touched {
            shared[index] = 0;
        }
        let found = best.into_neighbors();
        if n_left_out > 0 {
            // Ties were counted among the offered rows only.
            Neighbors::new(found.nearest, n_left_out)
        } else {
            found
        }
    }
}
