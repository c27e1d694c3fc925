//! Selection of the `k` nearest candidates.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::nearest::{Nearest, Neighbors};

/// Largest `k` for which a sorted list is faster than a heap.
const MAX_LIST: usize = 64;

/// The nearest `k` of the candidates offered so far, in the order of all search results: ascending
/// distance, ties by lower training index. The result does not depend on the order of the offers.
#[derive(Debug, Clone)]
pub struct KNearest {
    k: usize,
    best: Candidates,
    /// Number of rejected candidates at the distance of the last neighbour. It is reset when that distance falls,
    /// because the candidates rejected before are then farther than the last neighbour.
    n_left_out: usize,
}

#[derive(Debug, Clone)]
enum Candidates {
    List(Vec<Nearest>),
    Heap(BinaryHeap<Ranked>),
}

/// A candidate ordered by distance, then by index, so that the top of a max-heap is the farthest.
#[derive(Debug, Clone, Copy)]
struct Ranked(Nearest);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_distance = self.0.distance.total_cmp(&other.0.distance);
        by_distance.then(self.0.index.cmp(&other.0.index))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

impl KNearest {
    /// Creates an empty selection of up to `k` candidates.
    #[must_use]
    pub fn new(k: usize) -> Self {
        Self {
            k,
            n_left_out: 0,
            best: if k <= MAX_LIST {
                Candidates::List(Vec::with_capacity(k + 1))
            } else {
                Candidates::Heap(BinaryHeap::with_capacity(k + 1))
            },
        }
    }

    /// Distance beyond which candidates are rejected: that of the `k`-th neighbour, ∞ while there are fewer than
    /// `k`, and −∞ for `k = 0`.
    #[must_use]
    pub fn limit(&self) -> f64 {
        let last = match &self.best {
            Candidates::List(list) if list.len() == self.k => list.last(),
            Candidates::Heap(heap) if heap.len() == self.k => heap.peek().map(|ranked| &ranked.0),
            _ => return f64::INFINITY,
        };
        last.map_or(f64::NEG_INFINITY, |last| last.distance)
    }

    /// Adds a candidate if it is among the nearest `k`.
    pub fn offer(&mut self, candidate: Nearest) {
        // `dropped` is the candidate that lost its position to the new one, `last` the `k`-th neighbour afterwards.
        let (dropped, last) = match &mut self.best {
            Candidates::List(list) => {
                let mut dropped = None;
                if list.len() == self.k {
                    match list.last() {
                        Some(last) if candidate.precedes(last) => dropped = list.pop(),
                        Some(last) => {
                            self.n_left_out += usize::from(candidate.distance == last.distance);
                            return;
                        }
                        None => return,
                    }
                }
                let position = list.partition_point(|kept| kept.precedes(&candidate));
                list.insert(position, candidate);
                (dropped, list.last().copied())
            }
            Candidates::Heap(heap) if heap.len() < self.k => {
                heap.push(Ranked(candidate));
                return;
            }
            Candidates::Heap(heap) => {
                let Some(mut farthest) = heap.peek_mut() else {
                    return;
                };
                if !candidate.precedes(&farthest.0) {
                    self.n_left_out += usize::from(candidate.distance == farthest.0.distance);
                    return;
                }
                let dropped = std::mem::replace(&mut *farthest, Ranked(candidate));
                // `PeekMut` restores the heap order when it is dropped; only then is the top the new farthest.
                drop(farthest);
                (Some(dropped.0), heap.peek().map(|ranked| ranked.0))
            }
        };
        if let (Some(dropped), Some(last)) = (dropped, last) {
            // If the last distance fell, all earlier ties were at the old distance and no longer count.
            let is_tied = dropped.distance == last.distance;
            self.n_left_out = if is_tied { self.n_left_out + 1 } else { 0 };
        }
    }

    /// Returns the selected candidates, nearest first.
    #[must_use]
    pub fn into_neighbors(self) -> Neighbors {
        let nearest = match self.best {
            Candidates::List(list) => list,
            Candidates::Heap(heap) => {
                let sorted = heap.into_sorted_vec();
                sorted.into_iter().map(|ranked| ranked.0).collect()
            }
        };
        Neighbors::new(nearest, self.n_left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_of_offers_does_not_matter_and_ties_go_to_the_lower_row(
            distances in prop::collection::vec(0u8..20, 1..300),
            k in 0usize..200,
            start in any::<prop::sample::Index>(),
        ) {
            let all: Vec<Nearest> = distances
                .iter()
                .enumerate()
                .map(|(index, &d)| Nearest { index, distance: f64::from(d) })
                .collect();
            let mut best = KNearest::new(k);
            let start = start.index(all.len());
            for candidate in all[start..].iter().chain(&all[..start]) {
                best.offer(*candidate);
            }
            let mut expected = all.clone();
            expected.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.index.cmp(&b.index)));
            let cut = expected.split_off(k.min(expected.len()));
            let mut ties_at_k = 0;
            if k > 0 && k <= all.len() {
                let limit = expected[k - 1].distance;
                prop_assert_eq!(best.limit(), limit);
                if cut.first().is_some_and(|next| next.distance == limit) {
                    ties_at_k = all.iter().filter(|near| near.distance == limit).count();
                }
            }
            let found = best.into_neighbors();
            prop_assert_eq!(found.nearest, expected);
            prop_assert_eq!(found.ties_at_k, ties_at_k);
        }
    }
}
