//! The counts behind the statistics of a threshold.

/// Elements by prediction and truth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Confusion {
    /// Predicted and true.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    pub true_positives: u64,
    /// Predicted, not true.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    pub false_positives: u64,
    /// True, not predicted.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    pub false_negatives: u64,
    /// Neither.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    pub true_negatives: u64,
}

impl Confusion {
    /// Counts an element that [`GroundTruthMetric::element`](crate::GroundTruthMetric::element) judged.
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

    pub(crate) fn of_blocks(blocks: &[Self]) -> Self {
        let mut sum = Self::default();
        for &block in blocks {
            sum.merge(block);
        }
        sum
    }

    /// The counts of `n` elements of which those at ascending positions are predicted.
    pub(crate) fn of_selected(selected: &[usize], n: usize, truth: impl Fn(usize) -> bool) -> Self {
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

    /// The number of elements.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.true_positives + self.false_positives + self.false_negatives + self.true_negatives
    }

    /// The share of elements on which mask and truth agree; `None` without elements.
    #[must_use]
    pub fn accuracy(&self) -> Option<f64> {
        ratio(self.true_positives + self.true_negatives, self.total())
    }

    /// The share of the truth that was found; `None` without a true element.
    #[must_use]
    pub fn recall(&self) -> Option<f64> {
        ratio(
            self.true_positives,
            self.true_positives + self.false_negatives,
        )
    }

    /// The share of what was predicted that is true; `None` without a prediction.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        ratio(
            self.true_positives,
            self.true_positives + self.false_positives,
        )
    }

    /// `2 TP / (2 TP + FP + FN)`; `None` when neither mask nor truth has an element.
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

/// What one element counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CountedElement {
    /// Whether the mask selects it.
    pub is_predicted: bool,
    /// Whether it belongs to the truth.
    pub is_true: bool,
}
