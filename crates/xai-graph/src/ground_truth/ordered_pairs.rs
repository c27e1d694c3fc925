//! The area under the ROC curve from counts of equal scores.

/// Pairs of a true and a false element by the order of their scores, counted score by score: what the
/// area under the ROC curve is made of, for programs that have the scores in order, or counts of them.
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
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OrderedPairs {
    n_positive: u64,
    n_negative: u64,
    /// Twice the number of pairs in the right order, ties counting half: an integer.
    twice_ordered: u128,
    n_ties: u128,
}

impl OrderedPairs {
    /// Counts the elements of one score, which is above all scores so far.
    #[inline]
    pub fn add_score(&mut self, positives: u64, negatives: u64) {
        let below = 2 * u128::from(self.n_negative) + u128::from(negatives);
        self.twice_ordered += u128::from(positives) * below;
        self.n_ties += u128::from(positives) * u128::from(negatives);
        self.n_positive += positives;
        self.n_negative += negatives;
    }

    /// The number of elements.
    #[must_use]
    pub fn n_elements(&self) -> u64 {
        self.n_positive + self.n_negative
    }

    /// The probability that a true element scores above a false one, ties counting half; `None` when
    /// the truth has one class only.
    #[must_use]
    pub fn auroc(&self) -> Option<f64> {
        let pairs = self.n_pairs()?;
        Some(self.twice_ordered as f64 / (2 * pairs) as f64)
    }

    /// The share of pairs whose scores are equal. Where a score stands for several (those of a bin of
    /// a histogram), the area of the scores themselves differs by at most half of it.
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
