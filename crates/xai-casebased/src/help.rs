//! What a person can do about an error of this crate.

use xai_core::Help;

/// For rows whose numbers leave the range of `f64`.
pub const SCALE_FEATURES_DOWN: Help = Help::new("scale the features down");
/// For rows with missing values.
pub const FILL_MISSING_VALUES: Help = Help::new(
    "fill in missing values, or leave the row or the column out; encode words as numbers, one column for each word or by rank",
);
/// For rows whose cosine distance is undefined once they are scaled.
pub const DO_NOT_SCALE: Help =
    Help::new("leave the row out, choose {scale=false}, or choose another {distance}");
/// For distances that a k-d tree cannot bound.
pub const USE_BRUTE_FORCE: Help = Help::new("choose {engine=brute-force}");
/// For explainers that hold a closure.
pub const FIT_AGAIN: Help =
    Help::new("a function cannot be stored; fit the explainer again instead");
/// For weightings that are closures.
pub const CHOOSE_A_KERNEL: Help =
    Help::new("a function cannot be stored; choose a {weighting} by its name");
/// For votes where the predictions choose the space.
pub const PASS_PREDICTIONS: Help =
    Help::new("pass predictions, which choose the weights; neighbours cannot vote here");
/// For explainers that release no training row.
pub const ASK_FOR_AGGREGATE: Help = Help::new("ask for `aggregate`");
/// For aggregates of too few distinct rows.
pub const ASK_MORE_NEIGHBORS: Help = Help::new("ask more neighbours: a larger {k}");
/// For attributions whose sums leave the range of `f64`.
pub const SCALE_ATTRIBUTIONS_DOWN: Help = Help::new("scale the attributions down");
/// For explainers whose file would hold redacted values.
pub const STORE_REDACTED: Help = Help::new(
    "set {store_redacted} if whoever gets the file may know the values, or leave the features out of the training rows",
);
/// For predicted classes that no training row has.
pub const ENCODE_CLASSES_ALIKE: Help = Help::new(
    "encode predicted classes and training labels in the same way; a class that is in the training rows and not among the \
     neighbours has a correspondence of 0",
);
/// For lists of cases that look like rows of a mask.
pub const MASK_AS_BOOLEANS: Help = Help::new("give a mask as booleans");
/// For integers that may be a mask or positions.
pub const MASK_OR_CASES: Help = Help::new(
    "give a mask (n_subsets, n_train) as booleans; positions of more than two training cases in each list are read as such \
     if one of them is above 1",
);
/// For a mask where positions are expected.
pub const POSITIONS_OF_MASK: Help =
    Help::new("give the positions of the cases, one for each model, instead of a mask");
