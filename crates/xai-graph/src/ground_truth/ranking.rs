//! Statistics of the order of the scores: AUROC and average precision.

use std::ops::Range;

use xai_core::number::{OrderKey, sort_keys};
use xai_core::{ExactSum, Real, parallel};

/// Number of elements that a thread processes at a time.
pub(crate) const BLOCK: usize = 1 << 14;

/// Scores of many elements, separated by their truth, as integers with the same order. Takes as many bytes per
/// element as a score.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Ranking<K> {
    positives: Vec<K>,
    negatives: Vec<K>,
}

/// Rank statistics; `None` if undefined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankStatistics {
    pub(crate) auroc: Option<f64>,
    pub(crate) average_precision: Option<f64>,
}

impl<K: OrderKey> Ranking<K> {
    /// Adds finite scores by their truth, in blocks of [`BLOCK`]. `n_true` contains the number of true elements of
    /// each block.
    pub(crate) fn extend<T: Real<Key = K>>(
        &mut self,
        scores: &[T],
        truth: impl Fn(usize) -> bool + Sync + Send,
        n_true: &[usize],
    ) {
        let total: usize = n_true.iter().sum();
        let mut positives = grow(&mut self.positives, total);
        let mut negatives = grow(&mut self.negatives, scores.len() - total);
        // Each block gets its own slice of both sides, so that threads write without locks and in a fixed order.
        let mut blocks = Vec::with_capacity(n_true.len());
        for (block, &n_true) in scores.chunks(BLOCK).zip(n_true) {
            let (own_positives, rest) = positives.split_at_mut(n_true);
            positives = rest;
            let (own_negatives, rest) = negatives.split_at_mut(block.len() - n_true);
            negatives = rest;
            blocks.push((block, own_positives, own_negatives));
        }
        parallel::map_owned(blocks, |b, (block, positives, negatives)| {
            // Every key is written to the end of its side, and only that side advances. This needs no branch, which
            // the processor could not predict.
            let mut both = [
                vec![K::default(); block.len() + 1],
                vec![K::default(); block.len() + 1],
            ];
            let mut filled = [0, 0];
            for (i, &score) in block.iter().enumerate() {
                let side = usize::from(truth(b * BLOCK + i));
                both[side][filled[side]] = score.order_key();
                filled[side] += 1;
            }
            negatives.copy_from_slice(&both[0][..filled[0]]);
            positives.copy_from_slice(&both[1][..filled[1]]);
        });
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.positives.extend(other.positives);
        self.negatives.extend(other.negatives);
    }

    /// Sorts the scores and computes the statistics.
    pub(crate) fn evaluate(mut self) -> RankStatistics {
        self.sort();
        let (n_positive, n_negative) = (self.positives.len(), self.negatives.len());
        let counted = parallel::map_blocks(n_positive, BLOCK, |range| self.count(range));
        // Twice the number of pairs in the right order, with ties counted half, is an integer.
        let twice_ordered: u128 = counted.iter().map(|(ordered, _)| ordered).sum();
        let mut precision = ExactSum::new();
        for (_, block) in &counted {
            precision.add_sum(block);
        }
        RankStatistics {
            auroc: (n_positive > 0 && n_negative > 0).then(|| {
                // The number of pairs may exceed 64 bits.
                let pairs = n_positive as u128 * n_negative as u128;
                twice_ordered as f64 / (2 * pairs) as f64
            }),
            average_precision: (n_positive > 0).then(|| precision.value() / n_positive as f64),
        }
    }

    /// Scores of the true elements and of the others, each ascending.
    pub(crate) fn into_sorted(mut self) -> (Vec<K>, Vec<K>) {
        self.sort();
        (self.positives, self.negatives)
    }

    /// Sorts both sides: concurrently if sorting uses one thread per side, otherwise one after the other on all
    /// threads.
    fn sort(&mut self) {
        let sides = [&mut self.positives, &mut self.negatives];
        if K::BITS > u32::BITS {
            parallel::map_owned(sides.into(), |_, keys| sort_keys(keys));
        } else {
            sides.into_iter().for_each(sort_keys);
        }
    }

    /// For a range of the sorted positives: twice the number of negatives below each, with ties counted half, and the
    /// sum of the precisions at their scores.
    fn count(&self, range: Range<usize>) -> (u128, ExactSum) {
        let (positives, negatives) = (&self.positives[..], &self.negatives[..]);
        let first = positives[range.start];
        // Numbers of negatives below the score and up to it, and index of the first positive with that score.
        let mut below = negatives.partition_point(|&negative| negative < first);
        let mut up_to = below;
        let mut first_of_score = positives.partition_point(|&positive| positive < first);
        let mut score = first;
        let mut twice_ordered = 0;
        let precisions = range.map(|i| {
            // All indices only move forward, because both sides ascend: a block is counted in linear time.
            if positives[i] > score {
                score = positives[i];
                first_of_score = i;
                below = up_to;
            }
            while below < negatives.len() && negatives[below] < score {
                below += 1;
            }
            up_to = up_to.max(below);
            while up_to < negatives.len() && negatives[up_to] == score {
                up_to += 1;
            }
            twice_ordered += (below + up_to) as u128;
            // Precision among all elements at or above the score; elements with equal scores share it.
            let found = (positives.len() - first_of_score) as f64;
            found / (found + (negatives.len() - below) as f64)
        });
        let precision = precisions.collect();
        (twice_ordered, precision)
    }
}

fn grow<K: OrderKey>(keys: &mut Vec<K>, by: usize) -> &mut [K] {
    let before = keys.len();
    keys.resize(before + by, K::default());
    &mut keys[before..]
}

/// Counter of pairs of a true and a false element by the order of their scores, from which the area under the ROC
/// curve is computed. For programs that have the scores in order, or a histogram of them.
///
/// ```
/// use xai_graph::ground_truth::OrderedPairs;
/// let mut pairs = OrderedPairs::default();
/// // Scores 0.1, 0.4, 0.6 and 0.9, of which 0.4 and 0.9 are of true elements.
/// for (positives, negatives) in [(0, 1), (1, 0), (0, 1), (1, 0)] {
///     pairs.add_score(positives, negatives);
/// }
/// assert_eq!(pairs.auroc(), Some(0.75));
/// assert_eq!(pairs.share_of_ties(), Some(0.0));
/// assert_eq!(pairs.n_elements(), 4);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OrderedPairs {
    n_positive: u64,
    n_negative: u64,
    /// Twice the number of pairs in the right order, with ties counted half: an integer.
    twice_ordered: u128,
    n_ties: u128,
}

impl OrderedPairs {
    /// Adds the elements of one score, which must be above all scores so far.
    #[inline]
    pub fn add_score(&mut self, positives: u64, negatives: u64) {
        // In half pairs: two for each false element below, one for each with the same score.
        let below = 2 * u128::from(self.n_negative) + u128::from(negatives);
        self.twice_ordered += u128::from(positives) * below;
        self.n_ties += u128::from(positives) * u128::from(negatives);
        self.n_positive += positives;
        self.n_negative += negatives;
    }

    /// Number of elements.
    #[must_use]
    pub fn n_elements(&self) -> u64 {
        self.n_positive + self.n_negative
    }

    /// Probability that a true element scores above a false one, with ties counted half. `None` if all elements are
    /// of one class.
    #[must_use]
    pub fn auroc(&self) -> Option<f64> {
        let pairs = self.n_pairs()?;
        Some(self.twice_ordered as f64 / (2 * pairs) as f64)
    }

    /// Share of pairs with equal scores. If a score stands for several (a bin of a histogram), the area of the
    /// original scores differs by at most half of this share. `None` if all elements are of one class.
    #[must_use]
    pub fn share_of_ties(&self) -> Option<f64> {
        let pairs = self.n_pairs()?;
        Some(self.n_ties as f64 / pairs as f64)
    }

    fn n_pairs(&self) -> Option<u128> {
        let pairs = u128::from(self.n_positive) * u128::from(self.n_negative);
        (pairs > 0).then_some(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_show() {
        let n = 3 * BLOCK + 77;
        let score = |i: usize| ((i * 7919) % 1000) as f32 / 1000.0;
        let truth = |i: usize| (i * 31) % 7 < 2;
        let scores: Vec<f32> = (0..n).map(score).collect();
        let counts = |range: Range<usize>| range.filter(|&i| truth(i)).count();
        let n_true: Vec<usize> = (0..n)
            .step_by(BLOCK)
            .map(|start| counts(start..(start + BLOCK).min(n)))
            .collect();
        let mut whole = Ranking::default();
        whole.extend(&scores, truth, &n_true);
        let mut one_by_one = Ranking::default();
        for i in 0..n {
            one_by_one.extend(&scores[i..=i], |_| truth(i), &[usize::from(truth(i))]);
        }
        // The 1000 scores as groups: what a definition over distinct thresholds sees.
        let (mut ordered, mut below, mut pairs) = (0.0, 0.0, 0.0);
        let mut groups = vec![[0.0; 2]; 1000];
        for i in 0..n {
            groups[(i * 7919) % 1000][usize::from(truth(i))] += 1.0;
        }
        for [negatives, positives] in groups {
            ordered += positives * (below + negatives / 2.0);
            below += negatives;
            pairs += positives;
        }
        let statistics = whole.evaluate();
        assert_eq!(statistics, one_by_one.evaluate());
        assert_eq!(statistics.auroc, Some(ordered / (pairs * below)));
    }
}
