//! Names of the arrays and parameters that errors of this crate are about.

use xai_core::describe::Parameter;
use xai_core::{Error, Input, Result};

pub use xai_core::input::{
    A, B, DIFFERENCES, EXPLAINERS, EXPLANATIONS, INPUTS, LABELS, LEVEL, METRIC, METRICS, MODEL,
    N_REPLICATES, OUTPUTS, PREDICTIONS, SCORES, TARGETS, VALUES,
};

/// Explainer, for metrics that explain changed inputs.
pub const EXPLAINER: Input = Input::new("explainer");
/// Explainers of the model with some layers randomized.
pub const RANDOMIZED_EXPLAINERS: Input = Input::new("explainers of randomized models");
/// Object masks: a boolean per position, or a number from 0 to 1 for how far it belongs to the object.
pub const MASKS: Input = Input::new("masks");
/// Spans that a person annotated.
pub const GOLD: Input = Input::new("gold");
/// Spans that an explainer predicted.
pub const PREDICTED: Input = Input::new("predicted");
/// Features that each ablation of a sample kept.
pub const KEPT: Input = Input::new("kept");
/// Log-odds of tokens.
pub const TOKEN_LOGITS: Input = Input::new("token logits");
/// Segment of each position.
pub const SEGMENTS: Input = Input::new("segments");
/// Several models of the same task.
pub const MODELS: Input = Input::new("models");
/// Model of each sample that was trained without it (its cross-validation fold).
pub const FOLDS: Input = Input::new("folds");

/// Scores of the model for whole inputs.
pub const BASE: Input = Input::new("base");
/// Scores of the model for masked inputs.
pub const MASKED: Input = Input::new("masked");
/// Inputs near a sample, and noise for them that was drawn elsewhere.
pub const NEIGHBORS: Input = Input::new("neighbours");
/// Distances between maps.
pub const MAP_DISTANCES: Input = Input::new("distances of maps");
/// Images that are compared.
pub const IMAGES: Input = Input::new("images");

/// Order of the axes of inputs and maps.
pub const LAYOUT: Input = Input::new("layout");
/// Largest number of rows per call of the model.
pub const BATCH_SIZE: Input = Input::new("batch_size");
/// Class that given maps explain.
pub const EXPLAINED_CLASS: Input = Input::new("explained_class");
/// Activation that is applied to the outputs of the model.
pub const ACTIVATION: Input = Input::new("activation");
/// Largest number of calls of a masked model.
pub const MAX_CALLS: Input = Input::new("max_calls");
/// Handling of base scores that a formula cannot divide by.
pub const BASE_SCORE_POLICY: Input = Input::new("base_score_policy");
/// Values that removed positions are set to.
pub const BASELINE: Input = Input::new("baseline");
/// Steps of a curve: their number, their size, or the numbers or shares of features after each.
pub const STEPS: Input = Input::new("steps");
/// Share of features that are flipped by the last step of a curve.
pub const MAX_FRACTION: Input = Input::new("max_fraction");
/// Similarity of two maps.
pub const SIMILARITY: Input = Input::new("similarity");
/// Number of classes.
pub const N_CLASSES: Input = Input::new("n_classes");
/// Number of top positions.
pub const K: Input = Input::new("k");
/// Cells of a mosaic.
pub const CELLS: Input = Input::new("cells");
/// Groups of positions that are removed together.
pub const FEATURES: Input = Input::new("features");
/// Subsets that were drawn elsewhere.
pub const SUBSETS: Input = Input::new("subsets");
/// Number of features in a subset.
pub const SUBSET_SIZE: Input = Input::new("subset_size");
/// Orders of removal that were made elsewhere.
pub const ORDERS: Input = Input::new("orders");
/// Side length of the largest squares.
pub const LARGEST: Input = Input::new("largest");
/// Number of positions that are removed together.
pub const GROUP_SIZE: Input = Input::new("group_size");
/// A layer of the model.
pub const REPRESENTATION: Input = Input::new("representation");
/// Targets of other explanations.
pub const OTHER_TARGETS: Input = Input::new("other targets");
/// Maps of the same samples from a second explainer.
pub const SECOND_MAPS: Input = Input::new("second maps");
/// Noise that is added to inputs, or to imputed values.
pub const NOISE: Input = Input::new("noise");
/// Number of noisy copies.
pub const N_COPIES: Input = Input::new("n_copies");
/// Size of noise, in units of the range of a sample.
pub const MAGNITUDE: Input = Input::new("magnitude");
/// Distances by which inputs are shifted.
pub const SHIFTS: Input = Input::new("shifts");
/// Axes along which inputs are shifted.
pub const SHIFT_AXES: Input = Input::new("axes");
/// Discretizer of maps: maps with equal keys count as the same explanation.
pub const DISCRETIZER: Input = Input::new("discretizer");
/// Maps that others are compared with.
pub const REFERENCE_MAPS: Input = Input::new("reference maps");
/// Score that is computed from the outputs of the model along a curve.
pub const SCORE: Input = Input::new("score");
/// Meaning of the values of a map.
pub const MAP_KIND: Input = Input::new("map_kind");
/// Shares of an input that are removed, in percent.
pub const PERCENTAGES: Input = Input::new("percentages");
/// Range of values that a feature is set to.
pub const VALUE_RANGE: Input = Input::new("value_range");
/// Values that were drawn elsewhere.
pub const GIVEN_VALUES: Input = Input::new("given values");
/// Sizes of subsets.
pub const SIZES: Input = Input::new("sizes");
/// Method of ranking equal attributions.
pub const RANK_TIES: Input = Input::new("rank_ties");

/// Checks a value against the bounds of its type. For values that are not parameters of a metric: those are checked by
/// the run.
///
/// # Errors
/// An invalid parameter about `input`.
pub(crate) fn check_kind<P: Parameter>(input: Input, value: &P) -> Result<()> {
    let value = value.to_value();
    if P::KIND.admits(&value) {
        Ok(())
    } else {
        Err(Error::parameter(input, value, P::KIND.to_string()))
    }
}
