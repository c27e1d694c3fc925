//! Hints that errors of this crate carry.

use xai_core::Help;

pub use xai_neighbors::help::{DO_NOT_SCALE, SCALE_FEATURES_DOWN, USE_BRUTE_FORCE};

/// Hint for rows with missing values.
pub const FILL_MISSING_VALUES: Help = Help::new(
    "fill in missing values, or leave the row or the column out; encode words as numbers, one column for each word or by rank",
);
/// Hint for explainers that contain a closure and therefore cannot be stored.
pub const FIT_AGAIN: Help =
    Help::new("a function cannot be stored; fit the explainer again instead");
/// Hint for weightings that are closures and therefore cannot be stored.
pub const CHOOSE_A_KERNEL: Help =
    Help::new("a function cannot be stored; choose a {weighting} by its name");
/// Hint for majority votes with a similarity that depends on the predicted class.
pub const PASS_PREDICTIONS: Help = Help::new(
    "pass predictions: they select the weights of the embedding, so neighbours cannot vote",
);
/// Hint for explainers that may not show training rows.
pub const USE_AGGREGATE: Help = Help::new("use `aggregate` instead");
/// Hint for aggregates over too few distinct rows.
pub const USE_MORE_NEIGHBORS: Help = Help::new("use more neighbours: a larger {k}");
/// Hint for attributions whose sums overflow `f64`.
pub const SCALE_ATTRIBUTIONS_DOWN: Help = Help::new("scale the attributions down");
/// Hint for explainers whose stored file would contain redacted values.
pub const STORE_REDACTED: Help = Help::new(
    "set {store_redacted} if everyone who gets the file may know the values, or leave the features out of the training rows",
);
/// Hint for predicted classes that no training row has.
pub const ENCODE_CLASSES_ALIKE: Help = Help::new(
    "encode predicted classes and training labels in the same way; a class that is in the training rows and not among the \
     neighbours has a correspondence of 0",
);
/// Hint for lists of positions that look like rows of a mask.
pub const MASK_AS_BOOLEANS: Help = Help::new("pass a mask as booleans");
/// Hint for integers that may be either a mask or positions.
pub const MASK_OR_CASES: Help = Help::new(
    "pass a mask (n_subsets, n_train) as booleans; lists of more than two positions of training cases are accepted if one \
     position is above 1",
);
/// Hint for a mask where positions are expected.
pub const POSITIONS_OF_MASK: Help =
    Help::new("pass the positions of the cases, one per model, instead of a mask");
