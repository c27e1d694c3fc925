//! Similarity by the leaf of a decision tree.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use xai_core::describe::{Parameter, Parameters};
use xai_core::distance::DistanceFunction;
use xai_core::{Distance, Result, parallel};

use crate::input;
use crate::search::engine::Engine;
use crate::search::k_nearest::KNearest;
use crate::search::nearest::{Nearest, Neighbors};
use crate::search::neighbor_search::{NeighborSearch, among, check_distances};
use crate::search::queries::Queries;
use crate::similarity::closure::{Closure, ClosureError};
use crate::similarity::leaf_index::{LeafIndex, check_row_count};
use crate::similarity::retrieval::{Fitting, Retrieval, Samples};
use crate::training::rows::TrainingRows;

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
#[derive(Debug, Clone, Parameters)]
pub struct TreeLeaf {
    #[param(skip)]
    leaves: Closure<u32>,
    /// What happens when a leaf has fewer than `k` training rows.
    overflow: Overflow,
}

impl TreeLeaf {
    /// Leaf numbers by a closure.
    pub fn new<E: Into<ClosureError>>(
        leaves: impl Fn(ArrayView2<'_, f64>) -> Result<Vec<u32>, E> + Send + Sync + 'static,
    ) -> Self {
        Self {
            leaves: Closure::new(move |rows| {
                leaves(rows).map(|leaves| Array1::from(leaves).insert_axis(Axis(1)))
            }),
            overflow: Overflow::default(),
        }
    }

    pub(crate) fn fit(self, fitting: Fitting<'_>) -> Result<TreeLeafSearch> {
        check_row_count(fitting.train.n_rows())?;
        let (rows, distance) = (fitting.rows()?, fitting.distance);
        let leaves = self.leaves.of_rows(input::LEAVES, fitting.train.view())?;
        let beyond = match self.overflow {
            Overflow::Truncate => None,
            Overflow::Nearest => Some(fitting.search(rows.clone())?),
        };
        let (rows, compared_by) = rows.prepared(distance)?;
        Ok(TreeLeafSearch {
            index: LeafIndex::new(leaves.iter().copied()),
            distance: distance.clone(),
            rows,
            compared_by,
            beyond,
            leaves: self.leaves,
        })
    }
}

/// A tree's leaves over a training set.
pub(crate) struct TreeLeafSearch {
    leaves: Closure<u32>,
    index: LeafIndex,
    distance: Distance,
    rows: TrainingRows,
    compared_by: Distance,
    /// The nearest rows of any leaf, where a leaf with too few rows overflows.
    beyond: Option<Box<dyn NeighborSearch>>,
}

impl Retrieval for TreeLeafSearch {
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Neighbors>> {
        let queries = Queries::new(samples.scaled, self.rows.n_features(), &self.distance)?;
        let leaves = self.leaves.of_rows(input::LEAVES, samples.original)?;
        let mut found = parallel::map(queries.len(), |sample| {
            self.nearest_in_leaf(queries.row(sample), leaves[[sample, 0]], k)
        });
        if let Some(search) = &self.beyond {
            self.fill_up(&mut found, search.as_ref(), samples, &leaves, k)?;
        }
        check_distances(&found, &self.distance)?;
        Ok(found)
    }

    fn engine(&self) -> Option<Engine> {
        self.beyond.as_ref()?.engine()
    }

    fn recall(&self) -> Option<f64> {
        self.beyond.as_ref()?.recall()
    }
}

impl TreeLeafSearch {
    fn nearest_in_leaf(&self, query: &[f64], leaf: u32, k: usize) -> Neighbors {
        let mut best = KNearest::new(k.min(self.rows.n_rows()));
        let mut buffer = vec![0.0; query.len()];
        for &row in self.index.rows(leaf) {
            let index = row as usize;
            self.rows.write(index, &mut buffer);
            best.offer(Nearest {
                index,
                distance: self.compared_by.distance(&buffer, query),
            });
        }
        best.into_neighbors()
    }

    /// Adds the nearest rows of other leaves where there are fewer than `k`.
    fn fill_up(
        &self,
        found: &mut [Neighbors],
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
            let is_inside = |n: &Nearest| {
                u32::try_from(n.index).is_ok_and(|i| inside.binary_search(&i).is_ok())
            };
            let of_leaf = std::mem::take(&mut found[sample].nearest);
            let mut outside: Vec<Nearest> =
                nearest.iter().copied().filter(|n| !is_inside(n)).collect();
            let beyond = outside.split_off(outside.len().min(k - of_leaf.len()));
            let n_left_out = match (outside.last(), nearest.last()) {
                (Some(last), Some(farthest)) => {
                    let is_tied = |n: &&Nearest| n.distance == last.distance;
                    let n_beyond = beyond.iter().filter(is_tied).count();
                    // Of the rows that the search left out itself, those of the leaf are no rivals: they stand before.
                    let n_unseen = if farthest.distance == last.distance {
                        let seen = nearest.iter().filter(is_tied);
                        let n_seen_inside = seen.clone().filter(|n| is_inside(n)).count();
                        let n_inside = of_leaf.iter().filter(is_tied).count();
                        let n_left_out = nearest.ties_at_k.saturating_sub(seen.count());
                        n_left_out.saturating_sub(n_inside - n_seen_inside)
                    } else {
                        0
                    };
                    n_beyond + n_unseen
                }
                _ => 0,
            };
            let ties_at_k = Neighbors::new(outside.clone(), n_left_out).ties_at_k;
            found[sample] = Neighbors {
                nearest: [of_leaf, outside].concat(),
                ties_at_k,
            };
        }
        Ok(())
    }
}
