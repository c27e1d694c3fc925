//! Description of a fitted explainer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use xai_neighbors::Engine;

use crate::similarity::strategy::SimilarityKind;

/// The training data and the settings of a [`CaseExplainer`](crate::CaseExplainer).
///
/// `Display` writes a summary for people.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TrainingInfo {
    /// Number of training rows.
    pub n_rows: usize,
    /// Number of features.
    pub n_features: usize,
    /// Number of training rows of each class.
    pub class_counts: BTreeMap<i64, usize>,
    /// Names of the classes that have one.
    pub class_names: BTreeMap<i64, Arc<str>>,
    /// Names of all features, redacted ones included.
    pub feature_names: Vec<String>,
    /// Names of all metadata columns, redacted ones included.
    pub metadata_names: Vec<Arc<str>>,
    /// Names of the redacted columns, whose values are never shown.
    pub redacted: Vec<String>,
    /// Least number of distinct rows of an aggregate, if only aggregates are released.
    pub aggregate_minimum: Option<usize>,
    /// Number of nearest cases per sample.
    pub k: usize,
    /// Name of the distance; `custom` for [one's own](crate::CaseExplainerBuilder::distance_with).
    pub distance: String,
    /// Whether features are standardised.
    pub scaled: bool,
    /// Name of the [`Similarity`](crate::Similarity).
    pub similarity: SimilarityKind,
    /// Search engine in use; for [`Engine::Auto`], the engine that it chose. If the similarity needs no engine, the
    /// setting, which has no effect.
    pub engine: Engine,
    /// Share of the true neighbours that an approximate search finds; `None` for an exact search.
    pub recall: Option<f64>,
    /// Whether the explainer comes from a file that contains the values of redacted features.
    pub file_holds_redacted: bool,
}

impl fmt::Display for TrainingInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} rows, {} features{}, {} classes; {} nearest by {} distance ({}, {})",
            self.n_rows,
            self.n_features,
            if self.scaled { " (standardised)" } else { "" },
            self.class_counts.len(),
            self.k,
            self.distance,
            self.similarity,
            self.engine,
        )?;
        if self.file_holds_redacted {
            write!(f, "; its file holds the values of redacted features")?;
        }
        Ok(())
    }
}
