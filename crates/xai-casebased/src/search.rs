//! Nearest neighbours, exactly.

use ndarray::ArrayView2;
use xai_core::{Error, Result, check_finite, check_finite_slice, parallel};

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
/// training index, `k` larger than the training set meaning all of it.
pub trait NeighborSearch: Send + Sync {
    /// The number of training rows.
    fn n_rows(&self) -> usize;

    /// The number of features.
    fn n_features(&self) -> usize;

    /// The nearest `k` training rows to a finite query of [`n_features`](Self::n_features), which
    /// callers have checked.
    #[doc(hidden)]
    fn nearest_to_checked(&self, query: &[f64], k: usize) -> Vec<Nearest>;

    /// The nearest `k` training rows.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for another number of features, [`Error::NonFinite`].
    fn nearest(&self, query: &[f64], k: usize) -> Result<Vec<Nearest>> {
        if query.len() != self.n_features() {
            return Err(Error::shape("query", &[self.n_features()], &[query.len()]));
        }
        check_finite_slice("query", query)?;
        Ok(self.nearest_to_checked(query, k))
    }

    /// The nearest `k` training rows of each of `(m, d)` queries, in parallel.
    ///
    /// # Errors
    /// As [`nearest`](Self::nearest).
    fn nearest_batch(&self, queries: ArrayView2<'_, f64>, k: usize) -> Result<Vec<Vec<Nearest>>> {
        let (m, d) = queries.dim();
        if d != self.n_features() {
            return Err(Error::shape("queries", &[m, self.n_features()], &[m, d]));
        }
        check_finite("queries", queries)?;
        let rows: Vec<f64> = queries.iter().copied().collect();
        Ok(parallel::map(m, |i| {
            self.nearest_to_checked(&rows[i * d..(i + 1) * d], k)
        }))
    }
}
