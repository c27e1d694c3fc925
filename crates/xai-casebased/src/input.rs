//! The inputs that errors of this crate are about.
//!
//! An error carries one of these as data ([`Error::input`](xai_core::Error::input)); what it is
//! called in a message is decided here and nowhere else.

use xai_core::Input;

pub use xai_core::input::{
    DISTANCE, EXPLAINERS, EXPLANATIONS, LABELS, LEVEL, METRIC, METRICS, N_REPLICATES, OUTPUTS,
    PREDICTIONS, ROWS, SAMPLES, SCORES, TARGETS, WEIGHTING, WEIGHTS,
};

/// Training rows, `(n, d)`.
pub const TRAIN: Input = Input::new("train");
/// Training rows in units of their spread.
pub const TRAIN_SCALED: Input = Input::new("train (scaled)");
/// The divisors of a standardization.
pub const SCALE: Input = Input::new("scale");
/// Training rows with their correlations taken out.
pub const TRAIN_WHITENED: Input = Input::new("train (whitened)");
/// Samples in units of the training rows' spread.
pub const SAMPLES_SCALED: Input = Input::new("samples (scaled)");
/// Rows that a search is asked for, `(m, d)`.
pub const QUERIES: Input = Input::new("queries");
/// Predicted classes, one per sample.
pub const PREDICTED: Input = Input::new("predicted");
/// True classes, one per explanation.
pub const TRUTH: Input = Input::new("truth");
/// Distances of neighbours.
pub const DISTANCES: Input = Input::new("distances");
/// Neighbours that a search is asked for.
pub const NEIGHBORS: Input = Input::new("neighbors");

/// How many neighbours are asked.
pub const K: Input = Input::new("k");
/// What each class counts.
pub const CLASS_WEIGHTS: Input = Input::new("class_weights");
/// Where the level *medium* begins.
pub const MEDIUM: Input = Input::new("medium");
/// Names of features.
pub const FEATURE_NAMES: Input = Input::new("feature names");
/// Columns that accompany the training rows.
pub const METADATA: Input = Input::new("metadata");
/// Columns whose values are never shown.
pub const REDACTED: Input = Input::new("redacted column");
/// What makes rows similar.
pub const SIMILARITY: Input = Input::new("similarity");
/// What the closure of an [`Embedding`](crate::similarity::Embedding) gives.
pub const EMBEDDING: Input = Input::new("embedding");
/// What each dimension of an embedding counts.
pub const EMBEDDING_WEIGHTS: Input = Input::new("weights of the embedding");
/// What the closure of a tree or a forest gives.
pub const LEAVES: Input = Input::new("leaves");
/// How many predictions an audit lists.
pub const N_LEAST_SUPPORTED: Input = Input::new("n_least_supported");
/// Whether an audit keeps the cases of the predictions it lists.
pub const CASES: Input = Input::new("cases of listed predictions");
/// Whether an audit keeps how correspondence is distributed.
pub const DISTRIBUTION: Input = Input::new("distribution of correspondence");
/// What may be said of a sample without showing a training row.
pub const AGGREGATE: Input = Input::new("aggregate");
/// An explainer in a file.
pub const STORED_EXPLAINER: Input = Input::new("stored explainer");

/// Attributions of test cases to training cases, `(n_test, n_train)`.
pub const ATTRIBUTIONS: Input = Input::new("attributions");
/// The attributions by a model with random weights, `(n_test, n_train)`.
pub const RANDOM_ATTRIBUTIONS: Input = Input::new("random_attributions");
/// Classes of the training cases, `(n_train,)`.
pub const TRAIN_LABELS: Input = Input::new("train_labels");
/// Classes of the test cases, true or predicted, `(n_test,)`.
pub const TEST_CLASSES: Input = Input::new("test_classes");
/// Which test cases count, `(n_test,)`.
pub const KEEP: Input = Input::new("keep");
/// Which training cases are flagged: mislabeled, with a shortcut, from another data set, `(n_train,)`.
pub const FLAGS: Input = Input::new("flags");
/// Subsets of the training cases that models were trained on.
pub const SUBSETS: Input = Input::new("subsets");
/// Logits of the models trained on the subsets, `(n_subsets, n_test, n_classes)`.
pub const LOGITS: Input = Input::new("logits");
/// Training cases that were left out, one a model.
pub const REMOVED: Input = Input::new("removed");
/// How far the output falls without each left-out case, `(n_removed, n_test)`.
pub const DROPS: Input = Input::new("drops");
/// Which training cases are relevant to each test case, `(n_test, n_train)`.
pub const RELEVANT: Input = Input::new("relevant");
/// Log-probabilities of the test cases, `(n_test,)`.
pub const LOG_PROB: Input = Input::new("log_prob");
/// Log-probabilities after a step on each of the top cases, `(n_test, k)`.
pub const LOG_PROB_AFTER: Input = Input::new("log_prob_after");
/// How many of the top cases were left out, ascending from 0.
pub const KS: Input = Input::new("ks");
