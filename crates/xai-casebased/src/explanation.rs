//! A prediction and its precedents.

use std::fmt;

use xai_core::{Error, Label, Result};

use crate::{Correspondence, Level};

/// A training case near the explained sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Case {
    /// The training row.
    pub index: usize,
    /// Its distance to the sample, in scaled features where scaling is on.
    pub distance: f64,
    /// Its class.
    pub label: i64,
    /// The name of its class, where names were given.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Option::is_none", default)
    )]
    pub class_name: Option<String>,
    /// Its features as they were handed in, unscaled; empty without provenance.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Vec::is_empty", default)
    )]
    pub features: Vec<f64>,
}

/// Why a prediction looks the way it does: its nearest training cases and how far they agree.
///
/// `Display` is the summary a person reads.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Explanation {
    /// The position of the sample in its batch.
    pub sample: usize,
    /// The predicted class.
    pub predicted: i64,
    /// The name of the predicted class, where names were given.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Option::is_none", default)
    )]
    pub predicted_name: Option<String>,
    /// The true class, where it is known.
    #[cfg_attr(feature = "serde", serde(rename = "true"))]
    pub truth: Option<i64>,
    /// Agreement of the neighbours with the prediction.
    pub correspondence: Correspondence,
    /// The nearest training cases, nearest first.
    pub neighbors: Vec<Case>,
}

impl Explanation {
    /// Whether the prediction is right; `None` where the truth is not known.
    #[must_use]
    pub fn is_correct(&self) -> Option<bool> {
        self.truth.map(|truth| truth == self.predicted)
    }

    /// The same explanations with the true classes, so that they can tell right from wrong.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when there is not one label an explanation.
    pub fn with_truth<L: Label>(mut explanations: Vec<Self>, truth: &[L]) -> Result<Vec<Self>> {
        if truth.len() != explanations.len() {
            return Err(Error::shape("truth", &[explanations.len()], &[truth.len()]));
        }
        let truth = xai_core::labels_to_i64("truth", truth.iter().copied())?;
        for (explanation, truth) in explanations.iter_mut().zip(truth) {
            explanation.truth = Some(truth);
        }
        Ok(explanations)
    }

    /// The level of the correspondence.
    #[must_use]
    pub fn level(&self) -> Level {
        self.correspondence.level
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |label: i64, name: &Option<String>| match name {
            Some(name) => format!("{name} ({label})"),
            None => label.to_string(),
        };
        writeln!(f, "Sample {}", self.sample)?;
        write!(
            f,
            "Predicted class: {}",
            named(self.predicted, &self.predicted_name)
        )?;
        match (self.truth, self.is_correct()) {
            (Some(_), Some(true)) => writeln!(f, ", right")?,
            (Some(truth), _) => writeln!(f, ", wrong: the true class is {truth}")?,
            (None, _) => writeln!(f)?,
        }
        writeln!(f, "Correspondence: {}", self.correspondence)?;
        write!(f, "Nearest training cases:")?;
        for (rank, case) in self.neighbors.iter().enumerate() {
            let marker = if case.label == self.predicted {
                "agrees"
            } else {
                "differs"
            };
            write!(
                f,
                "\n{:>4}. row {}, class {}, distance {:.4}, {marker}",
                rank + 1,
                case.index,
                named(case.label, &case.class_name),
                case.distance,
            )?;
        }
        Ok(())
    }
}
