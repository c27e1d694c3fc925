//! Comparison of a sample with its nearest training cases, feature by feature.

/// One feature of a sample and of its nearest training cases.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FeatureComparison {
    /// Name of the feature.
    pub feature: String,
    /// Unscaled value in the sample.
    pub value: f64,
    /// Unscaled values in the nearest training cases, nearest first.
    #[cfg_attr(feature = "serde", serde(rename = "neighbors"))]
    pub cases: Vec<f64>,
    /// Difference between `value` and the mean of `cases`, in standard deviations (ddof 0) of the training rows.
    /// `None` for a feature that is constant in the training rows, or whose deviation or difference overflows `f64`,
    /// and for a sample without nearest cases.
    pub difference: Option<f64>,
}
