//! Levels of correspondence.

use std::fmt;

use xai_core::describe::{Parameter, Parameters};
use xai_core::{Error, Result};

use crate::input;

/// Level of a correspondence, see [`Thresholds`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Level {
    /// Undefined correspondence: no neighbours, or all weights are 0.
    Undefined,
    /// Below the medium threshold.
    Low,
    /// From the medium threshold up.
    Medium,
    /// From the high threshold up.
    High,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_value().to_string())
    }
}

/// Thresholds of the levels. `medium` is at most `high`.
///
/// ```text
/// high: score ≥ high      medium: medium ≤ score < high      low: score < medium
/// ```
///
/// The defaults, 0.85 and 0.7, are those of case-explainer; they should be set for the domain.
///
/// ```
/// use xai_casebased::{Level, Thresholds};
/// let strict = Thresholds::default().high(0.95).medium(0.9);
/// assert_eq!(strict.level(Some(0.92)), Level::Medium);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Thresholds {
    /// Correspondence from which the level is high.
    #[param(at_least = 0, at_most = 1, default = 0.85)]
    pub high: f64,
    /// Correspondence from which the level is medium.
    #[param(at_least = 0, at_most = 1, default = 0.70)]
    pub medium: f64,
}

impl Thresholds {
    /// Checks that `0 ≤ medium ≤ high ≤ 1`; otherwise returns `InvalidParameter` about one of the two.
    pub(crate) fn check(&self) -> Result<()> {
        if 0.0 <= self.medium && self.medium <= self.high && self.high <= 1.0 {
            return Ok(());
        }
        // Both may be in range but in the wrong order.
        self.check_params()?;
        let expected = format!("at most the high threshold {}", self.high);
        Err(Error::parameter(input::MEDIUM, self.medium, expected))
    }

    /// Returns the level of a correspondence; [`Level::Undefined`] for `None`.
    #[must_use]
    pub fn level(&self, score: Option<f64>) -> Level {
        match score {
            None => Level::Undefined,
            Some(score) if score >= self.high => Level::High,
            Some(score) if score >= self.medium => Level::Medium,
            Some(_) => Level::Low,
        }
    }
}
