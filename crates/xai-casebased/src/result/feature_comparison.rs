//! A sample beside its nearest training cases, feature by feature.

/// One feature of a sample and of its nearest training cases.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FeatureComparison {
    /// Its name.
    pub feature: String,
    /// Its value in the sample, as it was handed in.
    pub value: f64,
    /// Its values in the nearest training cases, nearest first.
    pub precedents: Vec<f64>,
    /// The value less the mean of these, in standard deviations (ddof 0) of the training rows; `None`
    /// for a feature that is constant in them, or whose deviation is beyond the range of `f64`.
    pub difference: Option<f64>,
}
