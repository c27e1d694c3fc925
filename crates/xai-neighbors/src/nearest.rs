//! The neighbours of a query.

use std::cmp::Ordering;
use std::ops::Deref;

/// One neighbour of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nearest {
    /// Index of the training row.
    pub index: usize,
    /// Distance to the query.
    pub distance: f64,
}

impl Nearest {
    /// Compares by the order of all search results: ascending distance, ties by lower training index.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.distance
            .total_cmp(&other.distance)
            .then(self.index.cmp(&other.index))
    }

    /// Returns whether this neighbour comes first in the order of all search results.
    pub(crate) fn precedes(&self, other: &Self) -> bool {
        self.distance < other.distance
            || (self.distance == other.distance && self.index < other.index)
    }
}

/// The nearest training rows of one query, nearest first, ties by lower training index.
///
/// ```
/// use ndarray::array;
/// use xai_neighbors::{BruteForce, Distance, NeighborSearch};
/// let search = BruteForce::new(array![[0.0], [2.0], [2.0], [2.0]].view(), Distance::Euclidean)?;
/// let found = search.nearest(&[0.0], 2)?;
/// assert_eq!((found.len(), found[1].index), (2, 1));
/// assert_eq!(found.ties_at_k, 3); // rows 1, 2 and 3 are equally near
/// assert_eq!(search.nearest(&[0.0], 4)?.ties_at_k, 0); // none is left out
/// # Ok::<(), xai_neighbors::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Neighbors {
    /// The neighbours, nearest first.
    pub nearest: Vec<Nearest>,
    /// Number of training rows that tie at rank `k`, that is, rows at the distance of the last neighbour, both in the
    /// list and left out of it because of their higher index. 0 if no such row is left out, in which case the list does
    /// not depend on the order of the training rows. Always 0 for an approximate search.
    pub ties_at_k: usize,
}

impl Neighbors {
    /// Creates the result. `n_left_out` is the number of rows at the distance of the last neighbour that are left out.
    #[must_use]
    pub fn new(nearest: Vec<Nearest>, n_left_out: usize) -> Self {
        let ties_at_k = match nearest.last() {
            Some(last) if n_left_out > 0 => {
                let is_tied = |near: &&Nearest| near.distance == last.distance;
                n_left_out + nearest.iter().rev().take_while(is_tied).count()
            }
            _ => 0,
        };
        Self { nearest, ties_at_k }
    }

    /// Removes a row from a list of up to `k + 1` neighbours, or the last neighbour if the row is not in a list of
    /// `k + 1`. What is left are the nearest `k` of the other rows. `distance` returns the distance of the row.
    pub(crate) fn leave_out(&mut self, index: usize, k: usize, distance: impl FnOnce() -> f64) {
        let Some(last) = self.nearest.last().map(|near| near.distance) else {
            return;
        };
        let is_tied = |near: &&Nearest| near.distance == last;
        let n_kept = self.nearest.iter().filter(is_tied).count();
        let mut n_left_out = self.ties_at_k.saturating_sub(n_kept);
        if let Some(position) = self.nearest.iter().position(|near| near.index == index) {
            self.nearest.remove(position);
        } else if self.nearest.len() > k {
            self.nearest.pop();
            // The last neighbour is left out now, and the row itself may have been among those left out.
            n_left_out = n_left_out + 1 - usize::from(distance() == last);
        }
        // Rows nearer than the former last neighbour were all in the list.
        if self.nearest.last().is_none_or(|near| near.distance != last) {
            n_left_out = 0;
        }
        *self = Self::new(std::mem::take(&mut self.nearest), n_left_out);
    }
}

impl Deref for Neighbors {
    type Target = [Nearest];

    fn deref(&self) -> &[Nearest] {
        &self.nearest
    }
}

impl IntoIterator for Neighbors {
    type Item = Nearest;
    type IntoIter = std::vec::IntoIter<Nearest>;

    fn into_iter(self) -> Self::IntoIter {
        self.nearest.into_iter()
    }
}

impl<'a> IntoIterator for &'a Neighbors {
    type Item = &'a Nearest;
    type IntoIter = std::slice::Iter<'a, Nearest>;

    fn into_iter(self) -> Self::IntoIter {
        self.nearest.iter()
    }
}
