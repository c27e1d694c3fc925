//! What an explainer was fitted to.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::search::engine::Engine;
use crate::similarity::strategy::SimilarityKind;

/// What a [`CaseExplainer`](crate::CaseExplainer) was fitted to, and how; `Display` is the summary a
/// person reads.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TrainingInfo {
    /// Training rows.
    pub n_rows: usize,
    /// Features of each.
    pub n_features: usize,
    /// How many rows have each class.
    pub class_counts: BTreeMap<i64, usize>,
    /// Names of classes, where they were given.
    pub class_names: BTreeMap<i64, Arc<str>>,
    /// Names of all features, redacted ones included.
    pub feature_names: Vec<String>,
    /// Names of all metadata columns, redacted ones included.
    pub metadata_names: Vec<Arc<str>>,
    /// Columns whose values never leave the explainer.
    pub redacted: Vec<String>,
    /// The least number of distinct rows of a release, where only aggregates are released.
    pub aggregate_minimum: Option<usize>,
    /// Neighbours that are asked.
    pub k: usize,
    /// The distance.
    pub distance: String,
    /// Whether features are standardised.
    pub scaled: bool,
    /// The name of the [`Similarity`](crate::similarity::Similarity).
    pub similarity: SimilarityKind,
    /// The engine that searches: what [`Engine::Auto`] became, where something is searched.
    pub engine: Engine,
    /// The share of true neighbours that an approximate search finds; `None` for an exact one.
    pub recall: Option<f64>,
    /// True for an explainer from a file that holds the values of redacted features.
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
