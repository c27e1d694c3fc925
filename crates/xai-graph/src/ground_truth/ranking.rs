//! What depends on the order of the scores alone: AUROC and average precision.

use std::ops::Range;

use xai_core::{ExactSum, Real, parallel};

use crate::radix_sort::{Key, sort};

/// Elements that one thread takes at a time.
pub(crate) const BLOCK: usize = 1 << 14;

/// Scores of many elements by their truth, as integers of the same order.
///
/// Single-precision scores take 4 bytes an element, double-precision ones 8.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Ranking {
    single: ByTruth<u32>,
    double: ByTruth<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct ByTruth<K> {
    positives: Vec<K>,
    negatives: Vec<K>,
}

/// Statistics of the order, `None` where undefined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankStatistics {
    pub(crate) auroc: Option<f64>,
    pub(crate) average_precision: Option<f64>,
}

impl Ranking {
    /// Adds finite scores, `n_true` of which are true.
    pub(crate) fn extend<T: Real>(
        &mut self,
        scores: &[T],
        truth: impl Fn(usize) -> bool + Sync + Send,
        n_true: &[usize],
    ) {
        if size_of::<T>() == size_of::<f32>() {
            #[allow(clippy::cast_possible_truncation)] // it was single precision
            let key = |score: T| single_key(score.to_f64_exact() as f32);
            self.single.extend(scores, key, truth, n_true);
        } else {
            let key = |score: T| double_key(score.to_f64_exact());
            self.double.extend(scores, key, truth, n_true);
        }
    }

    /// Adds another's scores.
    pub(crate) fn append(&mut self, other: Self) {
        self.single.append(other.single);
        self.double.append(other.double);
    }

    /// Sorts the scores and reads the statistics off.
    pub(crate) fn evaluate(mut self) -> RankStatistics {
        if self.double.is_empty() {
            return self.single.evaluate();
        }
        self.double.append(self.single.widen());
        self.double.evaluate()
    }
}

/// The bits of a finite number, turned so that they are in its order; 0 and −0 are one.
fn single_key(score: f32) -> u32 {
    let bits = (score + 0.0).to_bits();
    bits ^ ((bits.cast_signed() >> 31).cast_unsigned() | 1 << 31)
}

/// As [`single_key`].
fn double_key(score: f64) -> u64 {
    let bits = (score + 0.0).to_bits();
    bits ^ ((bits.cast_signed() >> 63).cast_unsigned() | 1 << 63)
}

impl ByTruth<u32> {
    /// The same scores in double precision.
    fn widen(self) -> ByTruth<u64> {
        let widen = |keys: Vec<u32>| {
            keys.into_iter()
                .map(|key| {
                    let negative = key >> 31 == 0;
                    let bits = if negative { !key } else { key ^ 1 << 31 };
                    double_key(f32::from_bits(bits).into())
                })
                .collect()
        };
        ByTruth {
            positives: widen(self.positives),
            negatives: widen(self.negatives),
        }
    }
}

impl<K: Key> ByTruth<K> {
    fn is_empty(&self) -> bool {
        self.positives.is_empty() && self.negatives.is_empty()
    }

    /// Adds scores by their truth, in blocks of [`BLOCK`]; `n_true` counts the true ones of each.
    fn extend<T: Real>(
        &mut self,
        scores: &[T],
        key: impl Fn(T) -> K + Sync + Send,
        truth: impl Fn(usize) -> bool + Sync + Send,
        n_true: &[usize],
    ) {
        let total: usize = n_true.iter().sum();
        let mut positives = grow(&mut self.positives, total);
        let mut negatives = grow(&mut self.negatives, scores.len() - total);
        let mut blocks = Vec::with_capacity(n_true.len());
        for (block, &n_true) in scores.chunks(BLOCK).zip(n_true) {
            let (own_positives, rest) = positives.split_at_mut(n_true);
            positives = rest;
            let (own_negatives, rest) = negatives.split_at_mut(block.len() - n_true);
            negatives = rest;
            blocks.push((block, own_positives, own_negatives));
        }
        parallel::map_owned(blocks, |b, (block, positives, negatives)| {
            // One key goes to both sides, and the side it belongs to moves on: no branch to guess.
            let mut both = [
                vec![K::default(); block.len() + 1],
                vec![K::default(); block.len() + 1],
            ];
            let mut filled = [0, 0];
            for (i, &score) in block.iter().enumerate() {
                let side = usize::from(truth(b * BLOCK + i));
                both[side][filled[side]] = key(score);
                filled[side] += 1;
            }
            negatives.copy_from_slice(&both[0][..filled[0]]);
            positives.copy_from_slice(&both[1][..filled[1]]);
        });
    }

    fn append(&mut self, other: Self) {
        self.positives.extend(other.positives);
        self.negatives.extend(other.negatives);
    }

    fn evaluate(mut self) -> RankStatistics {
        sort(&mut self.positives);
        sort(&mut self.negatives);
        let (n_positive, n_negative) = (self.positives.len(), self.negatives.len());
        let counted = parallel::map_blocks(n_positive, BLOCK, |range| self.count(range));
        // Twice the number of pairs in the right order, ties counting half: an integer.
        let twice_ordered: u128 = counted.iter().map(|(ordered, _)| ordered).sum();
        let mut precision = ExactSum::new();
        for (_, block) in &counted {
            precision.add_sum(block);
        }
        #[allow(clippy::cast_precision_loss)] // exact below 2^53 elements
        RankStatistics {
            auroc: (n_positive > 0 && n_negative > 0).then(|| {
                let pairs = n_positive as u128 * n_negative as u128;
                twice_ordered as f64 / (2 * pairs) as f64
            }),
            average_precision: (n_positive > 0).then(|| precision.value() / n_positive as f64),
        }
    }

    /// Over some of the sorted positives: twice the number of negatives below each, ties counting
    /// half, and the precision at the score of each.
    fn count(&self, range: Range<usize>) -> (u128, ExactSum) {
        let (positives, negatives) = (&self.positives[..], &self.negatives[..]);
        let first = positives[range.start];
        // Negatives below the score, negatives up to it, and the first positive of that score.
        let mut below = negatives.partition_point(|&negative| negative < first);
        let mut up_to = below;
        let mut first_of_score = positives.partition_point(|&positive| positive < first);
        let mut score = first;
        let (mut twice_ordered, mut precision) = (0, ExactSum::new());
        for i in range {
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
            #[allow(clippy::cast_precision_loss)] // exact below 2^53 elements
            {
                let found = (positives.len() - first_of_score) as f64;
                precision.add(found / (found + (negatives.len() - below) as f64));
            }
        }
        (twice_ordered, precision)
    }
}

/// Lengthens a vector and returns the new part.
fn grow<K: Key>(keys: &mut Vec<K>, by: usize) -> &mut [K] {
    let before = keys.len();
    keys.resize(before + by, K::default());
    &mut keys[before..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_the_scores() {
        let scores = [
            -f32::MAX,
            -1.5,
            -1.0,
            -f32::MIN_POSITIVE,
            -0.0,
            0.0,
            1e-45,
            0.3,
            0.5,
            1.0,
            f32::MAX,
        ];
        for pair in scores.windows(2) {
            let (low, high) = (pair[0], pair[1]);
            let expected = low.partial_cmp(&high).unwrap();
            assert_eq!(single_key(low).cmp(&single_key(high)), expected);
            assert_eq!(
                double_key(low.into()).cmp(&double_key(high.into())),
                expected
            );
        }
    }

    #[test]
    fn widening_keeps_the_number() {
        for score in [-2.5f32, -0.0, 0.0, 1e-45, 0.3, 7e30] {
            let keys = ByTruth {
                positives: vec![single_key(score)],
                negatives: vec![],
            };
            assert_eq!(keys.widen().positives, [double_key(score.into())]);
        }
    }

    #[test]
    fn precisions_can_be_mixed() {
        let scores = [0.1f32, 0.4, 0.35, 0.8];
        let truth = [false, false, true, true];
        let mut together = Ranking::default();
        together.extend(&scores, |i| truth[i], &[2]);
        let mut mixed = Ranking::default();
        mixed.extend(&scores[..2], |i| truth[i], &[0]);
        let wide: Vec<f64> = scores[2..].iter().map(|&x| x.into()).collect();
        mixed.extend(&wide, |i| truth[2 + i], &[2]);
        let statistics = mixed.evaluate();
        assert_eq!(statistics, together.evaluate());
        assert_eq!(statistics.auroc, Some(0.75));
        assert!((statistics.average_precision.unwrap() - 5.0 / 6.0).abs() < 1e-15);
    }

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
