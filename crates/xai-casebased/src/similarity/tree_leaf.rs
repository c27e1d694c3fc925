//! Similarity by the leaves of a decision tree.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use xai_core::describe::{Parameter, Parameters};
use xai_core::distance::DistanceFunction;
use xai_core::{Distance, Result, parallel};
use xai_neighbors::{
    CustomDistance, Engine, KNearest, Nearest, Neighbors, Queries, TrainingRows, check_distances,
    with_original_index,
};

use crate::input;
use crate::similarity::closure::{Closure, ClosureError};
use crate::similarity::leaf_index::{LeafIndex, check_row_count};
use crate::similarity::retrieval::{Fitting, Retrieval, RowSearch, Samples};

/// The treatment of leaves with fewer than `k` training rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[non_exhaustive]
pub enum Overflow {
    /// The explanation has fewer neighbours.
    #[default]
    Truncate,
    /// The nearest rows of other leaves follow, by distance.
    Nearest,
}

/// Similarity by the leaf of a decision tree. Rows in the same leaf come first, and are ordered by the distance
/// between their features.
///
/// The closure maps `(m, d)` unscaled rows to the leaf number of each row; it is called with at most 1 024 rows at a
/// time. Distances in the explanation are those between features. With [`Overflow::Nearest`], the rows of other leaves
/// follow in ascending distance, which may start below that of the last row of the leaf.
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
/// let order: Vec<_> = explanation.cases.iter().map(|case| case.index).collect();
/// assert_eq!(order, [1, 2, 0]); // row 0 is nearest, and in the other leaf
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone, Parameters)]
pub struct TreeLeaf {
    #[param(skip)]
    leaves: Closure<u32>,
    /// Treatment of leaves with fewer than `k` training rows.
    overflow: Overflow,
}

impl TreeLeaf {
    /// Creates a similarity from a closure that computes the leaf numbers.
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
        let (scaled_rows, distance) = (fitting.rows()?, fitting.distance);
        let leaves = self.leaves.evaluate(input::LEAVES, fitting.train.view())?;
        // The engine gets unprepared rows, because it prepares them itself.
        let overflow_search = match self.overflow {
            Overflow::Truncate => None,
            Overflow::Nearest => Some(fitting.search(scaled_rows.clone())?),
        };
        let (rows, prepared_distance) = scaled_rows.prepare(distance)?;
        Ok(TreeLeafSearch {
            index: LeafIndex::new(leaves.iter().copied()),
            distance: distance.clone(),
            rows,
            prepared_distance,
            custom_distance: fitting.custom_distance.cloned(),
            overflow_search,
            leaves: self.leaves,
        })
    }
}

/// A fitted [`TreeLeaf`]: the training rows, with an index of the rows in each leaf.
pub(crate) struct TreeLeafSearch {
    leaves: Closure<u32>,
    index: LeafIndex,
    distance: Distance,
    /// Rows prepared for the distance.
    rows: TrainingRows,
    /// Distance between prepared rows.
    prepared_distance: Distance,
    /// The caller's own distance, used instead.
    custom_distance: Option<CustomDistance>,
    /// Search over the rows of all leaves for [`Overflow::Nearest`].
    overflow_search: Option<RowSearch>,
}

impl Retrieval for TreeLeafSearch {
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Neighbors>> {
        let queries = Queries::new(samples.scaled, self.rows.n_features(), &self.distance)?;
        let leaves = self.leaves.evaluate(input::LEAVES, samples.original)?;
        let mut found = parallel::try_map(queries.len(), |sample| {
            self.nearest_in_leaf((sample, queries.row(sample)), leaves[[sample, 0]], k)
        })?;
        if let Some(search) = &self.overflow_search {
            self.fill_up(&mut found, search, samples, &leaves, k)?;
        }
        check_distances(&found, &self.distance)?;
        Ok(found)
    }

    fn engine(&self) -> Option<Engine> {
        self.overflow_search.as_ref()?.engine()
    }

    fn recall(&self) -> Option<f64> {
        self.overflow_search.as_ref()?.recall()
    }
}

impl TreeLeafSearch {
    /// Returns the nearest `k` training rows of a leaf, or fewer if it has fewer. `sample` is the index of the query.
    fn nearest_in_leaf(
        &self,
        (sample, query): (usize, &[f64]),
        leaf: u32,
        k: usize,
    ) -> Result<Neighbors> {
        let mut best = KNearest::new(k.min(self.rows.n_rows()));
        let mut buffer = vec![0.0; query.len()];
        for &row in self.index.rows(leaf) {
            let index = row as usize;
            self.rows.write(index, &mut buffer);
            let distance = match &self.custom_distance {
                Some(custom) => custom.between((sample, query), (index, &buffer))?,
                None => self.prepared_distance.distance(&buffer, query),
            };
            best.offer(Nearest { index, distance });
        }
        Ok(best.into_neighbors())
    }

    /// Fills up lists of fewer than `k` neighbours with the nearest rows of other leaves.
    fn fill_up(
        &self,
        found: &mut [Neighbors],
        search: &RowSearch,
        samples: Samples<'_>,
        leaves: &Array2<u32>,
        k: usize,
    ) -> Result<()> {
        let short: Vec<usize> = (0..found.len()).filter(|&i| found[i].len() < k).collect();
        // The k nearest rows of all leaves are enough: the leaf has n < k rows, so at least k − n of them are from
        // other leaves.
        let nearest_rows = search
            .nearest_batch(samples.scaled.select(Axis(0), &short).view(), k)
            .map_err(|e| with_original_index(e, &short))?;
        for (sample, nearest) in short.into_iter().zip(nearest_rows) {
            let inside = self.index.rows(leaves[[sample, 0]]);
            let is_inside = |n: &Nearest| {
                u32::try_from(n.index).is_ok_and(|i| inside.binary_search(&i).is_ok())
            };
            let leaf_rows = std::mem::take(&mut found[sample].nearest);
            let mut outside: Vec<Nearest> =
                nearest.iter().copied().filter(|n| !is_inside(n)).collect();
            let surplus = outside.split_off(outside.len().min(k - leaf_rows.len()));
            // Number of rows of other leaves that are left out at the distance of the last row. Rows of the leaf do not
            // compete with these, because they are all in the list already.
            let n_left_out = match (outside.last(), nearest.last()) {
                (Some(last), Some(farthest)) => {
                    let is_tied = |n: &&Nearest| n.distance == last.distance;
                    let n_surplus = surplus.iter().filter(is_tied).count();
                    // If the last neighbour of the search itself is at this distance, the search may have left out
                    // further rows at it. Those of them that are in the leaf are subtracted.
                    let n_unseen = if farthest.distance == last.distance {
                        let seen = nearest.iter().filter(is_tied);
                        let n_seen_inside = seen.clone().filter(|n| is_inside(n)).count();
                        let n_inside = leaf_rows.iter().filter(is_tied).count();
                        let n_left_out = nearest.ties_at_k.saturating_sub(seen.count());
                        n_left_out.saturating_sub(n_inside - n_seen_inside)
                    } else {
                        0
                    };
                    n_surplus + n_unseen
                }
                _ => 0,
            };
            let ties_at_k = Neighbors::new(outside.clone(), n_left_out).ties_at_k;
            found[sample] = Neighbors {
                nearest: [leaf_rows, outside].concat(),
                ties_at_k,
            };
        }
        Ok(())
    }
}
