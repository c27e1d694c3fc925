//! What the errors of this crate can be about: arrays and parameters.

use xai_core::describe::Parameter;
use xai_core::{Error, Input, Result};

pub use xai_core::input::{
    A, B, DIFFERENCES, EXPLAINERS, EXPLANATIONS, INPUTS, LABELS, LEVEL, METRIC, METRICS, MODEL,
    N_REPLICATES, OUTPUTS, PREDICTIONS, SCORES, TARGETS, VALUES,
};

/// The explainer, for metrics that ask it again.
pub const EXPLAINER: Input = Input::new("explainer");
/// Explainers of the model with some layers randomized.
pub const RANDOMIZED_EXPLAINERS: Input = Input::new("explainers of randomized models");
/// Where the object is, one boolean per position, or how far a position belongs to it.
pub const MASKS: Input = Input::new("masks");
/// Spans that a person marked.
pub const GOLD: Input = Input::new("gold");
/// Spans that an explainer marked.
pub const PREDICTED: Input = Input::new("predicted");
/// Which features of a sample ablations kept.
pub const KEPT: Input = Input::new("kept");
/// The logarithms of the odds of tokens.
pub const TOKEN_LOGITS: Input = Input::new("token logits");
/// Which segment each position belongs to.
pub const SEGMENTS: Input = Input::new("segments");
/// Several models of one task.
pub const MODELS: Input = Input::new("models");
/// Which model has not seen a sample in training.
pub const FOLDS: Input = Input::new("folds");

/// The model's scores of whole inputs.
pub const BASE: Input = Input::new("base");
/// The model's scores of masked inputs.
pub const MASKED: Input = Input::new("masked");
/// Inputs near a sample.
pub const NEIGHBORS: Input = Input::new("neighbours");
/// The distance of two maps.
pub const MAP_DISTANCES: Input = Input::new("distances of maps");
/// Two images that are compared.
pub const IMAGES: Input = Input::new("images");

/// How many samples the model is called with at once.
pub const BATCH_SIZE: Input = Input::new("batch_size");
/// The class that given maps explain.
pub const EXPLAINED_CLASS: Input = Input::new("explained_class");
/// What is applied to the model's outputs.
pub const ACTIVATION: Input = Input::new("activation");
/// How many questions a masked model may be asked.
pub const MAX_CALLS: Input = Input::new("max_calls");
/// What to do with a base score that a formula cannot divide by.
pub const BASE_SCORE_POLICY: Input = Input::new("base_score_policy");
/// What stands for absence.
pub const BASELINE: Input = Input::new("baseline");
/// The number of steps of a curve.
pub const STEPS: Input = Input::new("steps");
/// The share of positions that the last step of a curve has flipped.
pub const MAX_FRACTION: Input = Input::new("max_fraction");
/// How alike two maps are.
pub const SIMILARITY: Input = Input::new("similarity");
/// The number of classes.
pub const N_CLASSES: Input = Input::new("n_classes");
/// How many positions are the top.
pub const K: Input = Input::new("k");
/// The cells of a mosaic.
pub const CELLS: Input = Input::new("cells");
/// Which positions are removed together.
pub const FEATURES: Input = Input::new("features");
/// Subsets that were drawn elsewhere.
pub const SUBSETS: Input = Input::new("subsets");
/// The number of features in a subset.
pub const SUBSET_SIZE: Input = Input::new("subset_size");
/// Orders of removal that were made elsewhere.
pub const ORDERS: Input = Input::new("orders");
/// The number of positions that are removed together.
pub const GROUP_SIZE: Input = Input::new("group_size");
/// A layer of the model.
pub const REPRESENTATION: Input = Input::new("representation");
/// The targets of other explanations.
pub const OTHER_TARGETS: Input = Input::new("other targets");
/// The maps of the same samples from a second explainer.
pub const SECOND_MAPS: Input = Input::new("second maps");
/// Noise that is added to inputs, or to imputed values.
pub const NOISE: Input = Input::new("noise");
/// The number of noisy copies.
pub const N_COPIES: Input = Input::new("n_copies");
/// The size of noise, in units of the range of a sample.
pub const MAGNITUDE: Input = Input::new("magnitude");
/// How far inputs are shifted.
pub const SHIFTS: Input = Input::new("shifts");
/// Along which axes inputs are shifted.
pub const SHIFT_AXES: Input = Input::new("axes");
/// When two maps count as one explanation.
pub const DISCRETIZER: Input = Input::new("discretizer");
/// Maps that others are compared with.
pub const REFERENCE_MAPS: Input = Input::new("reference maps");
/// What is read off the model's outputs along a curve.
pub const SCORE: Input = Input::new("score");
/// What the values of a map stand for.
pub const MAP_KIND: Input = Input::new("map_kind");
/// How much of an input is removed, in percent.
pub const PERCENTAGES: Input = Input::new("percentages");
/// The range of values that a feature is set to.
pub const VALUE_RANGE: Input = Input::new("value_range");
/// Values that were drawn elsewhere.
pub const GIVEN_VALUES: Input = Input::new("given values");
/// The sizes of subsets.
pub const SIZES: Input = Input::new("sizes");

/// Checks a value that may be outside of the parameters of a metric, which a run has checked.
pub(crate) fn check_kind<P: Parameter>(input: Input, value: &P) -> Result<()> {
    let value = value.to_value();
    match P::KIND.admits(&value) {
        true => Ok(()),
        false => Err(Error::parameter(input, value, P::KIND.to_string())),
    }
}
/// What attributions of one size are to rankings.
pub const RANK_TIES: Input = Input::new("rank_ties");
