//! Thresholds, absolute or relative.

use xai_core::describe::Parameter;

/// A threshold in the unit of what it is compared with, or as a share of the largest.
///
/// As text a number is absolute, `2.5`; a share of the largest is `of-largest:0.6`, and does not depend on the scale of
/// the maps.
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[param(name = "threshold")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Threshold {
    /// This number, at least 0.
    #[param(plain, at_least = 0)]
    Absolute(f64),
    /// This share of the largest, in [0, 1].
    #[param(at_least = 0, at_most = 1, value_name = "SHARE")]
    OfLargest(f64),
}

impl Threshold {
    /// The threshold where the largest value is known.
    #[must_use]
    pub fn of(self, largest: f64) -> f64 {
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
