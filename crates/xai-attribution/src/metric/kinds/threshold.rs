//! Thresholds, absolute or relative to a largest value.

use xai_core::describe::Parameter;

/// A threshold in the unit of the compared values, or relative to the largest of them.
///
/// As text, a plain number such as `2.5` is absolute, and `of-largest:0.6` is a share of the largest value. A relative
/// threshold does not depend on the scale of the maps.
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[param(name = "threshold")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Threshold {
    /// An absolute value, at least 0.
    #[param(plain, at_least = 0)]
    Absolute(f64),
    /// A share of the largest value, in [0, 1].
    #[param(at_least = 0, at_most = 1, value_name = "SHARE")]
    OfLargest(f64),
}

impl Threshold {
    /// Returns the threshold as a number, given the largest of the compared values.
    #[must_use]
    pub fn cutoff(self, largest: f64) -> f64 {
        match self {
            Self::Absolute(threshold) => threshold,
            Self::OfLargest(share) => share * largest,
        }
    }
}

impl From<f64> for Threshold {
    fn from(threshold: f64) -> Self {
        Self::Absolute(threshold)
    }
}
