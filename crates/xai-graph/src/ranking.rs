//! What depends on the order of the scores alone: AUROC and average precision.

use ndarray::ArrayView1;
use xai_core::{ExactSum, Real};

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
    /// Adds finite scores.
    pub(crate) fn extend<T: Real>(
        &mut self,
        scores: ArrayView1<'_, T>,
        truth: impl Iterator<Item = bool>,
    ) {
        for (score, truth) in scores.iter().zip(truth) {
            let score = score.to_f64_exact();
            if size_of::<T>() == size_of::<f32>() {
                #[allow(clippy::cast_possible_truncation)] // it was single precision
                self.single.push(single_key(score as f32), truth);
            } else {
                self.double.push(double_key(score), truth);
            }
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

impl<K: Copy + Ord> ByTruth<K> {
    fn is_empty(&self) -> bool {
        self.positives.is_empty() && self.negatives.is_empty()
    }

    fn push(&mut self, key: K, truth: bool) {
        if truth {
            self.positives.push(key);
        } else {
            self.negatives.push(key);
        }
    }

    fn append(&mut self, other: Self) {
        self.positives.extend(other.positives);
        self.negatives.extend(other.negatives);
    }

    fn evaluate(mut self) -> RankStatistics {
        self.positives.sort_unstable();
        self.negatives.sort_unstable();
        let (n_positive, n_negative) = (self.positives.len(), self.negatives.len());
        // Twice the number of pairs in the right order, ties counting half: an integer.
        let mut twice_ordered: u128 = 0;
        let mut precision = ExactSum::new();
        let (mut below, mut up_to) = (0, 0);
        let mut first_of_value = 0;
        for (i, &score) in self.positives.iter().enumerate() {
            while below < n_negative && self.negatives[below] < score {
                below += 1;
            }
            up_to = up_to.max(below);
            while up_to < n_negative && self.negatives[up_to] == score {
                up_to += 1;
            }
            twice_ordered += (below + up_to) as u128;
            if score > self.positives[first_of_value] {
                first_of_value = i;
            }
            #[allow(clippy::cast_precision_loss)] // exact below 2^53 elements
            {
                let found = (n_positive - first_of_value) as f64;
                precision.add(found / (found + (n_negative - below) as f64));
            }
        }
        #[allow(clippy::cast_precision_loss)]
        RankStatistics {
            auroc: (n_positive > 0 && n_negative > 0).then(|| {
                let pairs = n_positive as u128 * n_negative as u128;
                twice_ordered as f64 / (2 * pairs) as f64
            }),
            average_precision: (n_positive > 0).then(|| precision.value() / n_positive as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::aview1;

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
        together.extend(aview1(&scores), truth.into_iter());
        let mut mixed = Ranking::default();
        mixed.extend(aview1(&scores[..2]), truth[..2].iter().copied());
        let wide: Vec<f64> = scores[2..].iter().map(|&x| x.into()).collect();
        mixed.extend(aview1(&wide), truth[2..].iter().copied());
        let statistics = mixed.evaluate();
        assert_eq!(statistics, together.evaluate());
        assert_eq!(statistics.auroc, Some(0.75));
        assert!((statistics.average_precision.unwrap() - 5.0 / 6.0).abs() < 1e-15);
    }
}
