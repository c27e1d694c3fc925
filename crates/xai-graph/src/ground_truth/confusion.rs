//! Confusion counts at a threshold, and statistics computed from them.

/// Confusion matrix: numbers of elements by prediction and truth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Confusion {
    /// Predicted and true.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    pub true_positives: u64,
    /// Predicted, but not true.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    pub false_positives: u64,
    /// True, but not predicted.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    pub false_negatives: u64,
    /// Neither predicted nor true.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    pub true_negatives: u64,
}

impl Confusion {
    /// Counts an element classified by [`GroundTruthMetric::element`](crate::GroundTruthMetric::element).
    #[inline]
    pub fn add(&mut self, element: CountedElement) {
        self.count(element.is_predicted, element.is_true);
    }

    #[inline]
    fn count(&mut self, predicted: bool, truth: bool) {
        self.true_positives += u64::from(predicted & truth);
        self.false_positives += u64::from(predicted & !truth);
        self.false_negatives += u64::from(!predicted & truth);
        self.true_negatives += u64::from(!predicted & !truth);
    }

    /// Adds the counts of other elements.
    pub fn merge(&mut self, other: Self) {
        self.true_positives += other.true_positives;
        self.false_positives += other.false_positives;
        self.false_negatives += other.false_negatives;
        self.true_negatives += other.true_negatives;
    }

    pub(crate) fn sum(blocks: &[Self]) -> Self {
        let mut sum = Self::default();
        for &block in blocks {
            sum.merge(block);
        }
        sum
    }

    /// Counts `n` elements of which those at the given ascending indices are predicted.
    pub(crate) fn from_selected(
        selected: &[usize],
        n: usize,
        truth: impl Fn(usize) -> bool,
    ) -> Self {
        let mut counts = Self::default();
        let mut selected = selected.iter().peekable();
        for i in 0..n {
            counts.count(selected.next_if_eq(&&i).is_some(), truth(i));
        }
        counts
    }

    pub(crate) fn n_true(&self) -> usize {
        (self.true_positives + self.false_negatives) as usize
    }

    /// Number of elements.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.true_positives + self.false_positives + self.false_negatives + self.true_negatives
    }

    /// Share of elements on which mask and truth agree; `None` without elements.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        ratio(self.true_positives + self.true_negatives, self.total())
    }

    /// Share of the true elements that are predicted; `None` without a true element.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        ratio(
            self.true_positives,
            self.true_positives + self.false_negatives,
        )
    }

    /// Share of the predicted elements that are true; `None` without a predicted element.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        ratio(
            self.true_positives,
            self.true_positives + self.false_positives,
        )
    }

    /// `2 TP / (2 TP + FP + FN)`; `None` if no element is predicted or true.
    #[must_use]
    pub fn f1_score(&self) -> Option<f64> {
        let twice = 2 * self.true_positives;
        ratio(twice, twice + self.false_positives + self.false_negatives)
    }

    pub(crate) fn jaccard(&self) -> Option<f64> {
        let hits = self.true_positives;
        ratio(hits, hits + self.false_positives + self.false_negatives)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Classification of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CountedElement {
    /// True if the mask selects the element.
    pub is_predicted: bool,
    /// True if the element belongs to the ground truth.
    pub is_true: bool,
}
