//! Levels of correspondence.

use std::fmt;

use xai_core::{Error, Result};

use crate::input;

/// A correspondence in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Level {
    /// No neighbours, or all of weight 0: there is nothing to agree with.
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
        f.pad(match self {
            Self::Undefined => "undefined",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        })
    }
}

/// Where the levels begin: high from 0.85, medium from 0.70, unless chosen otherwise.
///
/// The two are conventions of the peer and should be set for the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Thresholds {
    high: f64,
    medium: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            high: 0.85,
            medium: 0.70,
        }
    }
}

impl Thresholds {
    /// Thresholds with `0 ≤ medium ≤ high ≤ 1`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) otherwise.
    ///
    /// ```
    /// use xai_casebased::{Level, Thresholds};
    /// let strict = Thresholds::new(0.95, 0.9)?;
    /// assert_eq!(strict.level(Some(0.92)), Level::Medium);
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    pub fn new(high: f64, medium: f64) -> Result<Self> {
        for (input, value) in [(input::HIGH, high), (input::MEDIUM, medium)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::parameter(input, value, "a threshold in [0, 1]"));
            }
        }
        if medium > high {
            return Err(Error::parameter(
                input::MEDIUM,
                medium,
                format!("at most the high threshold {high}"),
            ));
        }
        Ok(Self { high, medium })
    }

    /// Where high begins.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.high
    }

    /// Where medium begins.
    #[must_use]
    pub fn medium(&self) -> f64 {
        self.medium
    }

    /// The level of a score.
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
