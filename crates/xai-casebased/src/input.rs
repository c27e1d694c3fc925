//! Names of the inputs that errors of this crate refer to.
//!
//! An error carries one of these as data ([`Error::input`](xai_core::Error::input)). The names that
//! appear in messages are defined here or in [`xai_core::input`]; those of parameters are the names of their fields.

use xai_core::Input;

pub use xai_core::input::{
    DISTANCE, EXPLAINERS, EXPLANATIONS, LABELS, LEVEL, METRIC, METRICS, N_REPLICATES, OUTPUTS,
    PREDICTIONS, ROWS, SAMPLES, SCORES, TARGETS, WEIGHTING, WEIGHTS,
};
pub use xai_neighbors::input::{NEIGHBORS, QUERIES, SCALE, TRAIN, TRAIN_SCALED, TRAIN_WHITENED};

/// Samples standardised like the training rows.
pub const SAMPLES_SCALED: Input = Input::new("samples (scaled)");
/// Predicted classes, one per sample.
pub const PREDICTED: Input = Input::new("predicted");
/// True classes, one per explanation.
pub const TRUTH: Input = Input::new("truth");
/// Distances of neighbours.
pub const DISTANCES: Input = Input::new("distances");

/// Number of neighbours per sample.
pub const K: Input = Input::new("k");
/// Weight of each class.
pub const CLASS_WEIGHTS: Input = Input::new("class_weights");
/// Least correspondence of the level *medium*.
pub const MEDIUM: Input = Input::new("medium");
/// Names of features.
pub const FEATURE_NAMES: Input = Input::new("feature names");
/// Metadata columns of the training rows.
pub const METADATA: Input = Input::new("metadata");
/// Columns whose values are never shown.
pub const REDACTED: Input = Input::new("redacted column");
/// Similarity by which rows are compared.
pub const SIMILARITY: Input = Input::new("similarity");
/// Output of the closure of an [`Embedding`](crate::similarity::Embedding).
pub const EMBEDDING: Input = Input::new("embedding");
/// Weight of each dimension of an embedding.
pub const EMBEDDING_WEIGHTS: Input = Input::new("weights of the embedding");
/// Leaves that the closure of a tree or a forest returns.
pub const LEAVES: Input = Input::new("leaves");
/// Number of predictions that an audit lists.
pub const N_LEAST_SUPPORTED: Input = Input::new("n_least_supported");
/// Cases that an audit keeps for the predictions it lists.
pub const CASES: Input = Input::new("cases of listed predictions");
/// Distribution of correspondence that an audit keeps.
pub const DISTRIBUTION: Input = Input::new("distribution of correspondence");
/// Aggregate explanation of a sample, which shows no training row.
pub const AGGREGATE: Input = Input::new("aggregate");
/// Explainer stored in a file.
pub const STORED_EXPLAINER: Input = Input::new("stored explainer");

/// Attributions of test cases to training cases, `(n_test, n_train)`.
pub const ATTRIBUTIONS: Input = Input::new("attributions");
/// Attributions for a model with random weights, `(n_test, n_train)`.
pub const RANDOM_ATTRIBUTIONS: Input = Input::new("random_attributions");
/// Classes of the training cases, `(n_train,)`.
pub const TRAIN_LABELS: Input = Input::new("train_labels");
/// Classes of the test cases, true or predicted, `(n_test,)`.
pub const TEST_CLASSES: Input = Input::new("test_classes");
/// Mask of the test cases that are evaluated, `(n_test,)`.
pub const KEEP: Input = Input::new("keep");
/// Mask of the flagged training cases, `(n_train,)`: mislabeled, with a shortcut, or from another data set.
pub const FLAGS: Input = Input::new("flags");
/// Subsets of the training cases that models were trained on.
pub const SUBSETS: Input = Input::new("subsets");
/// Logits of the models trained on the subsets, `(n_subsets, n_test, n_classes)`.
pub const LOGITS: Input = Input::new("logits");
/// Training cases that were left out, one per retrained model.
pub const REMOVED: Input = Input::new("removed");
/// Decrease of the output when each case is left out, `(n_removed, n_test)`.
pub const DROPS: Input = Input::new("drops");
/// Mask of the training cases that are relevant to each test case, `(n_test, n_train)`.
pub const RELEVANT: Input = Input::new("relevant");
/// Log-probabilities of the test cases, `(n_test,)`.
pub const LOG_PROB: Input = Input::new("log_prob");
/// Log-probabilities after a training step on each of the top cases, `(n_test, k)`.
pub const LOG_PROB_AFTER: Input = Input::new("log_prob_after");
/// Numbers of top cases that were left out, ascending from 0.
pub const KS: Input = Input::new("ks");
