//! The best few of many candidates.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::search::nearest::{Nearest, Neighbors};

/// Up to so many neighbours an ordered list is faster than a heap.
const LISTED: usize = 64;

/// The nearest `k` of the candidates offered so far, in the order of every answer: ascending
/// distance, equal distances by lower training index. The order of offers does not matter.
#[derive(Debug, Clone)]
pub(crate) struct KNearest {
    k: usize,
    best: Best,
    /// Number of rejected candidates at the distance of the last neighbour. Candidates that were rejected at a larger
    /// distance do not count, so it starts anew when that distance falls.
    n_left_out: usize,
}

#[derive(Debug, Clone)]
enum Best {
    List(Vec<Nearest>),
    Heap(BinaryHeap<Ranked>),
}

/// Greater is farther.
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
    pub(crate) fn new(k: usize) -> Self {
        Self {
            k,
            n_left_out: 0,
            best: if k <= LISTED {
                Best::List(Vec::with_capacity(k + 1))
            } else {
                Best::Heap(BinaryHeap::with_capacity(k + 1))
            },
        }
    }

    /// The distance beyond which no candidate has a place any more; ∞ while places are free.
    pub(crate) fn limit(&self) -> f64 {
        let last = match &self.best {
            Best::List(list) if list.len() == self.k => list.last(),
            Best::Heap(heap) if heap.len() == self.k => heap.peek().map(|ranked| &ranked.0),
            _ => return f64::INFINITY,
        };
        last.map_or(f64::NEG_INFINITY, |last| last.distance)
    }

    pub(crate) fn offer(&mut self, candidate: Nearest) {
        let (dropped, last) = match &mut self.best {
            Best::List(list) => {
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
                let place = list.partition_point(|kept| kept.precedes(&candidate));
                list.insert(place, candidate);
                (dropped, list.last().copied())
            }
            Best::Heap(heap) if heap.len() < self.k => {
                heap.push(Ranked(candidate));
                return;
            }
            Best::Heap(heap) => {
                let Some(mut farthest) = heap.peek_mut() else {
                    return;
                };
                if !candidate.precedes(&farthest.0) {
                    self.n_left_out += usize::from(candidate.distance == farthest.0.distance);
                    return;
                }
                let dropped = std::mem::replace(&mut *farthest, Ranked(candidate));
                drop(farthest);
                (Some(dropped.0), heap.peek().map(|ranked| ranked.0))
            }
        };
        if let (Some(dropped), Some(last)) = (dropped, last) {
            let is_tied = dropped.distance == last.distance;
            self.n_left_out = if is_tied { self.n_left_out + 1 } else { 0 };
        }
    }

    pub(crate) fn into_neighbors(self) -> Neighbors {
        let nearest = match self.best {
            Best::List(list) => list,
            Best::Heap(heap) => {
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
