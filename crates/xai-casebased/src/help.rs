//! What a person can do about an error of this crate.

use xai_core::Help;

/// For rows whose numbers leave the range of `f64`.
pub const SCALE_FEATURES_DOWN: Help = Help::new("scale the features down");
/// For weights whose sum leaves the range of `f64`.
pub const SCALE_WEIGHTS_DOWN: Help =
    Help::new("scale the class weights down, or choose another {weighting}");
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
