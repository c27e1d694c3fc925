//! What every threshold finds: the counts that both curves are made of.

use xai_core::Real;
use xai_core::number::OrderKey;

use crate::ground_truth::ranking::Ranking;

/// What scores at or above a threshold find.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Threshold {
    /// The score.
    pub(crate) score: f64,
    /// True elements at or above it.
    pub(crate) n_true: usize,
    /// Other elements at or above it.
    pub(crate) n_other: usize,
}

/// The counts at each different score, descending: elements of one score come in together.
pub(crate) fn thresholds<T: Real>(ranking: Ranking<T::Key>) -> Vec<Threshold> {
    let (positives, negatives) = ranking.into_sorted();
    let (mut positives, mut negatives) = (&positives[..], &negatives[..]);
    let (mut n_true, mut n_other) = (0, 0);
    let mut thresholds = Vec::new();
    // The last of each side is its highest; keys are in the order of the scores.
    while let Some(&score) = positives.last().max(negatives.last()) {
        n_true += drop_last(&mut positives, score);
        n_other += drop_last(&mut negatives, score);
        thresholds.push(Threshold {
            score: T::from_order_key(score).to_f64_exact(),
            n_true,
            n_other,
        });
    }
    thresholds
}

/// Takes the elements of a score off the end of an ascending list, and says how many they were.
fn drop_last<K: OrderKey>(keys: &mut &[K], score: K) -> usize {
    let n = keys.iter().rev().take_while(|&&key| key == score).count();
    *keys = &keys[..keys.len() - n];
    n
}
