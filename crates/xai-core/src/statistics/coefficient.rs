//! Which correlation.

use std::fmt;

use super::correlation::pearson_of_finite;
use super::kendall::kendall_of_finite;
use super::ranks::spearman_of_finite;
use crate::describe::Parameter;

/// A correlation of two sequences, in [−1, 1]; undefined where either is constant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Correlation {
    /// Of the ranks: [Spearman's](super::spearman).
    #[default]
    Spearman,
    /// Of the values: [Pearson's](super::pearson).
    Pearson,
    /// Of the orders of pairs: [Kendall's](super::kendall).
    Kendall,
}

impl Correlation {
    /// The correlation of finite values of one length; `None` where either side is constant.
    ///
    /// ```
    /// use xai_core::statistics::Correlation;
    /// let (a, b) = ([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]);
    /// assert_eq!(Correlation::Spearman.of_finite(&a, &b), Some(1.0));
    /// assert!(Correlation::Pearson.of_finite(&a, &b) < Some(1.0));
    /// ```
    #[must_use]
    pub fn of_finite(self, a: &[f64], b: &[f64]) -> Option<f64> {
        match self {
            Self::Spearman => spearman_of_finite(a, b),
            Self::Pearson => pearson_of_finite(a, b),
            Self::Kendall => kendall_of_finite(a, b),
        }
    }
}

impl fmt::Display for Correlation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Spearman => "spearman",
            Self::Pearson => "pearson",
            Self::Kendall => "kendall",
        })
    }
}
