//! A prediction and its precedents.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use xai_core::number::labels_to_i64;
use xai_core::tensor::check_shape;
use xai_core::{Label, Result};

use crate::correspondence::level::Level;
use crate::correspondence::score::Correspondence;
use crate::input;
use crate::training::metadata::MetadataValue;

/// A training case near the explained sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Case {
    /// The training row.
    pub index: usize,
    /// Its distance to the sample: in scaled features where scaling is on, in the space of the
    /// [`Similarity`](crate::similarity::Similarity) where one was chosen.
    pub distance: f64,
    /// Its class.
    pub label: i64,
    /// The name of its class, where names were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub class_name: Option<Arc<str>>,
    /// Its features as they were handed in, unscaled, in the order of
    /// [`Explanation::feature_names`]; without redacted ones, empty without provenance.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Vec::is_empty", default)
    )]
    pub features: Vec<f64>,
    /// What else is known of it, without redacted columns; empty without provenance.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "BTreeMap::is_empty", default)
    )]
    pub metadata: BTreeMap<Arc<str>, MetadataValue>,
}

/// Why a prediction looks the way it does: its nearest training cases and how far they agree.
///
/// `Display` is the summary a person reads.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Explanation {
    /// The position of the sample in its batch.
    pub sample: usize,
    /// The predicted class; `None` where the neighbours were asked to vote and all weigh 0.
    pub predicted: Option<i64>,
    /// The name of the predicted class, where names were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub predicted_name: Option<Arc<str>>,
    /// The true class, where it is known.
    #[cfg_attr(feature = "serde", serde(rename = "true"))]
    pub truth: Option<i64>,
    /// The name of the true class, where names were given.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "true_name", skip_serializing_if = "Option::is_none", default)
    )]
    pub truth_name: Option<Arc<str>>,
    /// Agreement of the neighbours with the prediction.
    pub correspondence: Correspondence,
    /// The nearest training cases, nearest first.
    pub neighbors: Vec<Case>,
    /// Number of training cases that tie at rank `k`; 0 if none of them is left out. See
    /// [`Neighbors::ties_at_k`](crate::search::Neighbors::ties_at_k).
    #[cfg_attr(feature = "serde", serde(default))]
    pub ties_at_k: usize,
    /// The names of the features that the cases show.
    pub feature_names: Arc<[String]>,
    /// The share of true neighbours that the search is known to find, measured when the explainer
    /// was fitted; `None` for an exact search, which finds all.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub recall: Option<f64>,
}

impl Explanation {
    /// Whether the prediction is right; `None` where the truth or the prediction is not known.
    #[must_use]
    pub fn is_correct(&self) -> Option<bool> {
        Some(self.truth? == self.predicted?)
    }

    /// The same explanations with the true classes, so that they can tell right from wrong. Names
    /// of the true classes: [`CaseExplainer::with_truth`](crate::CaseExplainer::with_truth).
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) when there is not one label
    /// per explanation.
    pub fn with_truth<L: Label>(mut explanations: Vec<Self>, truth: &[L]) -> Result<Vec<Self>> {
        check_shape(input::TRUTH, &[explanations.len()], &[truth.len()])?;
        let truth = labels_to_i64(input::TRUTH, truth.iter().copied())?;
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

/// One neighbour in an [`ExplanationSummary`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Neighbor {
    /// The training row.
    pub index: usize,
    /// Its distance to the sample.
    pub distance: f64,
    /// Its class.
    pub label: i64,
    /// The name of its class, where names were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub class_name: Option<Arc<str>>,
}

/// An [`Explanation`] in the numbers that fit on a line.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExplanationSummary {
    /// The position of the sample.
    pub sample: usize,
    /// The predicted class; `None` where the neighbours were asked to vote and all weigh 0.
    pub predicted: Option<i64>,
    /// The name of the predicted class, where names were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub predicted_name: Option<Arc<str>>,
    /// The true class, where it is known.
    #[cfg_attr(feature = "serde", serde(rename = "true"))]
    pub truth: Option<i64>,
    /// The name of the true class, where names were given.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "true_name", skip_serializing_if = "Option::is_none", default)
    )]
    pub truth_name: Option<Arc<str>>,
    /// Agreement of the neighbours with the prediction, in [0, 1]; `None` where undefined.
    pub correspondence: Option<f64>,
    /// The correspondence in words.
    pub level: Level,
    /// The nearest training rows, nearest first.
    pub neighbors: Vec<Neighbor>,
    /// Number of training cases that tie at rank `k`; 0 if none of them is left out.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ties_at_k: usize,
}

impl From<&Explanation> for ExplanationSummary {
    fn from(explanation: &Explanation) -> Self {
        let neighbors = explanation.neighbors.iter().map(|case| Neighbor {
            index: case.index,
            distance: case.distance,
            label: case.label,
            class_name: case.class_name.clone(),
        });
        Self {
            sample: explanation.sample,
            predicted: explanation.predicted,
            predicted_name: explanation.predicted_name.clone(),
            truth: explanation.truth,
            truth_name: explanation.truth_name.clone(),
            correspondence: explanation.correspondence.score,
            level: explanation.correspondence.level,
            neighbors: neighbors.collect(),
            ties_at_k: explanation.ties_at_k,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |label: i64, name: &Option<Arc<str>>| match name {
            Some(name) => format!("{name} ({label})"),
            None => label.to_string(),
        };
        writeln!(f, "Sample {}", self.sample)?;
        match self.predicted {
            Some(label) => write!(f, "Predicted class: {}", named(label, &self.predicted_name))?,
            None => write!(f, "Predicted class: none, no neighbour has any weight")?,
        }
        match (self.truth, self.is_correct()) {
            (Some(_), Some(true)) => writeln!(f, ", right")?,
            (Some(truth), Some(false)) => {
                let truth = named(truth, &self.truth_name);
                writeln!(f, ", wrong: the true class is {truth}")?;
            }
            _ => writeln!(f)?,
        }
        writeln!(f, "Correspondence: {}", self.correspondence)?;
        write!(f, "Nearest training cases")?;
        if self.ties_at_k > 0 {
            let (n, rank) = (self.ties_at_k, self.neighbors.len());
            write!(f, " ({n} tie at rank {rank}; the lower rows are shown)")?;
        }
        if let Some(recall) = self.recall {
            write!(f, " (approximate, recall {:.1}%)", 100.0 * recall)?;
        }
        write!(f, ":")?;
        for (rank, case) in self.neighbors.iter().enumerate() {
            let marker = if Some(case.label) == self.predicted {
                "agrees"
            } else {
                "differs"
            };
            write!(
                f,
                "\n{:>4}. train[{}], class {}, distance {:.4}, {marker}",
                rank + 1,
                case.index,
                named(case.label, &case.class_name),
                case.distance,
            )?;
            for (name, value) in &case.metadata {
                write!(f, "\n      {name}: {value}")?;
            }
        }
        Ok(())
    }
}
