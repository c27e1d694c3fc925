//! The best few of many candidates.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::search::nearest::Nearest;

/// Up to so many neighbours an ordered list is faster than a heap.
const LISTED: usize = 64;

/// The nearest `k` of the candidates offered so far, in the order of every answer: ascending
/// distance, equal distances by lower training index. The order of offers does not matter.
#[derive(Debug, Clone)]
pub(crate) struct KNearest {
    k: usize,
    best: Best,
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
        match &mut self.best {
            Best::List(list) => {
                if list.len() == self.k {
                    match list.last() {
                        Some(last) if candidate.precedes(last) => list.pop(),
                        _ => return,
                    };
                }
                let place = list.partition_point(|kept| kept.precedes(&candidate));
                list.insert(place, candidate);
            }
            Best::Heap(heap) => {
                if heap.len() < self.k {
                    heap.push(Ranked(candidate));
                } else if let Some(mut farthest) = heap.peek_mut()
                    && candidate.precedes(&farthest.0)
                {
                    *farthest = Ranked(candidate);
                }
            }
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Nearest> {
        match self.best {
            Best::List(list) => list,
            Best::Heap(heap) => {
                let sorted = heap.into_sorted_vec();
                sorted.into_iter().map(|ranked| ranked.0).collect()
            }
        }
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
            expected.truncate(k);
            if k > 0 && k <= all.len() {
                prop_assert_eq!(best.limit(), expected[k - 1].distance);
            }
            prop_assert_eq!(best.into_vec(), expected);
        }
    }
}
