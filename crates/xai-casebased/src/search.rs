//! Nearest neighbours, exactly.

use ndarray::ArrayView2;
use xai_core::parallel;

/// One neighbour of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nearest {
    /// The training row.
    pub index: usize,
    /// Its distance to the query.
    pub distance: f64,
}

impl Nearest {
    /// Ascending distance, equal distances by lower training index: the order of every answer.
    pub(crate) fn precedes(&self, other: &Self) -> bool {
        self.distance < other.distance
            || (self.distance == other.distance && self.index < other.index)
    }
}

/// An exact search over fixed training rows.
///
/// Every implementation gives the same answer to the last bit: that of a scan over all rows in
/// `f64` with [`Distance`](xai_core::Distance), in ascending distance, equal distances by lower
/// training index, `k` larger than the training set meaning all of it. Callers hand in finite rows
/// of [`n_features`](Self::n_features).
pub trait NeighborSearch: Send + Sync {
    /// The number of training rows.
    fn n_rows(&self) -> usize;

    /// The number of features.
    fn n_features(&self) -> usize;

    /// The nearest `k` training rows.
    fn nearest(&self, query: &[f64], k: usize) -> Vec<Nearest>;

    /// The nearest `k` training rows of each of `(m, d)` queries, in parallel.
    fn nearest_batch(&self, queries: ArrayView2<'_, f64>, k: usize) -> Vec<Vec<Nearest>> {
        let queries = queries.as_standard_layout();
        parallel::map(queries.nrows(), |i| {
            let row = queries.row(i);
            self.nearest(row.as_slice().unwrap_or_default(), k)
        })
    }
}
