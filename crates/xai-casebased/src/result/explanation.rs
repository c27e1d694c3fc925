//! The explanation of one prediction.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use xai_core::number::labels_to_i64;
use xai_core::tensor::check_shape;
use xai_core::{Label, Result};

use crate::correspondence::level::Level;
use crate::correspondence::score::{ClassWeightsSum, Correspondence};
use crate::input;
use crate::training::metadata::MetadataValue;

/// One of the nearest training cases of an explained sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Case {
    /// Index of the training row.
    pub index: usize,
    /// Distance to the sample, between scaled features if scaling is on, or in the space of the
    /// [`Similarity`](crate::Similarity).
    pub distance: f64,
    /// Class label.
    pub label: i64,
    /// Name of the class, if names were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub class_name: Option<Arc<str>>,
    /// Unscaled features in the order of [`Explanation::feature_names`], without redacted ones; empty if provenance is
    /// off.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Vec::is_empty", default)
    )]
    pub features: Vec<f64>,
    /// Metadata by column name, without redacted columns; empty if provenance is off.
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "BTreeMap::is_empty", default)
    )]
    pub metadata: BTreeMap<Arc<str>, MetadataValue>,
}

/// The nearest training cases of a sample, and their agreement with its prediction.
///
/// `Display` writes a summary for people. With the feature `serde` the fields are the keys of JSON objects, except for
/// `cases`, which has the key `neighbors`, and `truth` and `truth_name`, which have the keys `true` and `true_name`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Explanation {
    /// Index of the sample in its batch.
    pub sample: usize,
    /// Predicted class; `None` if the cases voted and there are none, or all have weight 0.
    pub predicted: Option<i64>,
    /// Name of the predicted class, if names were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub predicted_name: Option<Arc<str>>,
    /// True class, if known.
    #[cfg_attr(feature = "serde", serde(rename = "true"))]
    pub truth: Option<i64>,
    /// Name of the true class, if names were given.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "true_name", skip_serializing_if = "Option::is_none", default)
    )]
    pub truth_name: Option<Arc<str>>,
    /// Agreement of the nearest cases with the prediction.
    pub correspondence: Correspondence,
    /// The nearest training cases, nearest first. With [`Overflow::Nearest`](crate::similarity::Overflow::Nearest),
    /// cases of the same leaf come before the others.
    #[cfg_attr(feature = "serde", serde(rename = "neighbors"))]
    pub cases: Vec<Case>,
    /// Number of training cases that tie at rank `k`; 0 if none of them is left out. See
    /// [`Neighbors::ties_at_k`](crate::search::Neighbors::ties_at_k).
    #[cfg_attr(feature = "serde", serde(default))]
    pub ties_at_k: usize,
    /// Names of [`Case::features`].
    pub feature_names: Arc<[String]>,
    /// Share of the true neighbours that an approximate search finds, measured when the explainer was fitted; `None`
    /// for an exact search.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub recall: Option<f64>,
}

impl Explanation {
    /// Creates an explanation without cases from a score that was computed elsewhere, for an [`Audit`](crate::Audit).
    ///
    /// ```
    /// use xai_casebased::{Accumulator, Audit, Explanation, Level};
    /// let mut audit = Audit::new();
    /// audit.update(&[Explanation::from_score(Some(1), Some(0.75), Level::Medium)])?;
    /// assert_eq!(audit.finish()?.mean_correspondence, Some(0.75));
    /// # Ok::<(), xai_casebased::Error>(())
    /// ```
    #[must_use]
    pub fn from_score(predicted: Option<i64>, score: Option<f64>, level: Level) -> Self {
        Self {
            sample: 0,
            predicted,
            predicted_name: None,
            truth: None,
            truth_name: None,
            correspondence: Correspondence {
                score,
                level,
                n_neighbors: 0,
                class_weights_sum: ClassWeightsSum::default(),
            },
            cases: Vec::new(),
            ties_at_k: 0,
            feature_names: Arc::new([]),
            recall: None,
        }
    }

    /// Returns whether the prediction is right; `None` if the true or the predicted class is unknown.
    #[must_use]
    pub fn is_correct(&self) -> Option<bool> {
        Some(self.truth? == self.predicted?)
    }

    /// Adds the true classes to explanations. [`CaseExplainer::with_truth`](crate::CaseExplainer::with_truth) also
    /// adds their names.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless there is one label
    /// per explanation, [`ErrorKind::OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for a label above `i64::MAX`.
    pub fn with_truth<L: Label>(mut explanations: Vec<Self>, truth: &[L]) -> Result<Vec<Self>> {
        check_shape(input::TRUTH, &[explanations.len()], &[truth.len()])?;
        let labels = labels_to_i64(input::TRUTH, truth.iter().copied())?;
        for (explanation, label) in explanations.iter_mut().zip(labels) {
            explanation.truth = Some(label);
        }
        Ok(explanations)
    }

    /// Level of the correspondence.
    #[must_use]
    pub fn level(&self) -> Level {
        self.correspondence.level
    }
}

/// One of the nearest training cases in an [`ExplanationSummary`], without features and metadata.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CaseSummary {
    /// Index of the training row.
    pub index: usize,
    /// Distance to the sample.
    pub distance: f64,
    /// Class label.
    pub label: i64,
    /// Name of the class, if names were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub class_name: Option<Arc<str>>,
}

/// An [`Explanation`] without features and metadata. Its JSON has the same keys.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ExplanationSummary {
    /// Index of the sample.
    pub sample: usize,
    /// Predicted class; `None` if the cases voted and there are none, or all have weight 0.
    pub predicted: Option<i64>,
    /// Name of the predicted class, if names were given.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub predicted_name: Option<Arc<str>>,
    /// True class, if known.
    #[cfg_attr(feature = "serde", serde(rename = "true"))]
    pub truth: Option<i64>,
    /// Name of the true class, if names were given.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "true_name", skip_serializing_if = "Option::is_none", default)
    )]
    pub truth_name: Option<Arc<str>>,
    /// Agreement of the nearest cases with the prediction, in [0, 1]; `None` if undefined.
    pub correspondence: Option<f64>,
    /// Level of the correspondence.
    pub level: Level,
    /// The nearest training cases, in the order of [`Explanation::cases`].
    #[cfg_attr(feature = "serde", serde(rename = "neighbors"))]
    pub cases: Vec<CaseSummary>,
    /// Number of training cases that tie at rank `k`; 0 if none of them is left out.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ties_at_k: usize,
}

impl From<&Explanation> for ExplanationSummary {
    fn from(explanation: &Explanation) -> Self {
        let cases = explanation.cases.iter().map(|case| CaseSummary {
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
            cases: cases.collect(),
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
            let (n, rank) = (self.ties_at_k, self.cases.len());
            write!(f, " ({n} tie at rank {rank}; the lower rows are shown)")?;
        }
        if let Some(recall) = self.recall {
            write!(f, " (approximate, recall {:.1}%)", 100.0 * recall)?;
        }
        write!(f, ":")?;
        for (rank, case) in self.cases.iter().enumerate() {
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
