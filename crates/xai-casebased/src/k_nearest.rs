//! The best few of many candidates.

use crate::Nearest;

/// The nearest `k` of the candidates offered so far, in the order of every answer: ascending
/// distance, equal distances by lower training index. The order of offers does not matter.
#[derive(Debug, Clone)]
pub(crate) struct KNearest {
    k: usize,
    best: Vec<Nearest>,
}

impl KNearest {
    pub(crate) fn new(k: usize) -> Self {
        Self {
            k,
            best: Vec::with_capacity(k + 1),
        }
    }

    /// The distance beyond which no candidate has a place any more; ∞ while places are free.
    pub(crate) fn limit(&self) -> f64 {
        match self.best.last() {
            Some(last) if self.best.len() == self.k => last.distance,
            _ if self.k == 0 => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        }
    }

    pub(crate) fn offer(&mut self, candidate: Nearest) {
        if self.best.len() == self.k {
            match self.best.last() {
                Some(last) if candidate.precedes(last) => self.best.pop(),
                _ => return,
            };
        }
        let place = self.best.partition_point(|kept| kept.precedes(&candidate));
        self.best.insert(place, candidate);
    }

    pub(crate) fn into_vec(self) -> Vec<Nearest> {
        self.best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_offers_does_not_matter_and_ties_go_to_the_lower_row() {
        let candidate = |index, distance| Nearest { index, distance };
        let offers = [(4, 1.0), (0, 2.0), (3, 1.0), (1, 0.5), (2, 1.0)];
        for start in 0..offers.len() {
            let mut best = KNearest::new(3);
            for i in 0..offers.len() {
                let (index, distance) = offers[(start + i) % offers.len()];
                best.offer(candidate(index, distance));
            }
            let kept: Vec<_> = best.into_vec().iter().map(|n| n.index).collect();
            assert_eq!(kept, [1, 2, 3]);
        }
        let mut nobody = KNearest::new(0);
        nobody.offer(candidate(0, 0.0));
        assert!(nobody.into_vec().is_empty());
    }
}
