//! What the errors of this crate can be about: arrays and parameters.

use xai_core::Input;

pub use xai_core::input::{
    A, B, EXPLANATIONS, INPUTS, LABELS, LEVEL, METRIC, MODEL, N_REPLICATES, OUTPUTS, PREDICTIONS,
    SCORES, TARGETS, VALUES,
};

/// The explainer, for metrics that ask it again.
pub const EXPLAINER: Input = Input::new("explainer");
/// Explainers of the model with some layers randomized.
pub const RANDOMIZED_EXPLAINERS: Input = Input::new("explainers of randomized models");
/// Where the object is, one boolean per position.
pub const MASKS: Input = Input::new("masks");
/// Which segment each position belongs to.
pub const SEGMENTS: Input = Input::new("segments");
/// The explainers of an evaluation.
pub const EXPLAINERS: Input = Input::new("explainers");
/// The metrics of an evaluation.
pub const METRICS: Input = Input::new("metrics");
/// The name of an option of a metric.
pub const OPTION: Input = Input::new("option");
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
/// Paired differences.
pub const DIFFERENCES: Input = Input::new("differences");

/// How many samples the model is called with at once.
pub const BATCH_SIZE: Input = Input::new("batch_size");
/// What to do with a base score that a formula cannot divide by.
pub const BASE_SCORE_POLICY: Input = Input::new("base_score_policy");
/// What stands for absence.
pub const BASELINE: Input = Input::new("baseline");
/// The standard deviation of a blurred baseline.
pub const SIGMA: Input = Input::new("sigma");
/// The number of steps of a curve.
pub const STEPS: Input = Input::new("steps");
/// The share of positions that the last step of a curve has flipped.
pub const MAX_FRACTION: Input = Input::new("max_fraction");
/// The number of cells along height, width and time.
pub const GRID: Input = Input::new("grid");
/// The share of cells in a random subset.
pub const FRACTION: Input = Input::new("subset_size");
/// The number of random subsets.
pub const N_SUBSETS: Input = Input::new("n_subsets");
/// How subsets are drawn.
pub const SAMPLING: Input = Input::new("sampling");
/// The largest change of an element.
pub const RADIUS: Input = Input::new("radius");
/// The number of neighbours.
pub const N_NEIGHBORS: Input = Input::new("n_neighbors");
/// Where neighbours are drawn.
pub const NEIGHBORHOOD: Input = Input::new("neighborhood");
/// How far apart two maps are.
pub const DISTANCE: Input = Input::new("distance");
/// How alike two maps are.
pub const SIMILARITY: Input = Input::new("similarity");
/// The number of classes.
pub const N_CLASSES: Input = Input::new("n_classes");
/// The number of layers.
pub const N_LAYERS: Input = Input::new("n_layers");
/// What random choices depend on.
pub const SEED: Input = Input::new("seed");
/// How the channels of a position become one attribution.
pub const POOL: Input = Input::new("pool");
/// Which part of an attribution counts.
pub const RELEVANCE: Input = Input::new("relevance");
/// How far beside an object a hit still counts.
pub const HIT_RADIUS: Input = Input::new("hit_radius");
/// Which of several equal attributions counts.
pub const TIES: Input = Input::new("ties");
/// Whether the size of an object counts.
pub const WEIGHTED: Input = Input::new("weighted");
/// The largest share of the positions that an object may take.
pub const MAX_SIZE: Input = Input::new("max_size");
/// How many positions are the top.
pub const K: Input = Input::new("k");
/// Whether an object smaller than the top can reach 1.
pub const CAPPED: Input = Input::new("capped");
/// Whether a share is in units of what a random map has.
pub const INFLUENCE: Input = Input::new("influence");
/// From which share of the largest attribution on a position is marked.
pub const THRESHOLD: Input = Input::new("threshold");
/// The cells of a mosaic.
pub const CELLS: Input = Input::new("cells");
/// Which positions are removed together.
pub const FEATURES: Input = Input::new("features");
/// The number of positions along a side of a patch.
pub const PATCH: Input = Input::new("patch");
/// Subsets that were drawn elsewhere.
pub const SUBSETS: Input = Input::new("subsets");
/// The number of features in a subset.
pub const SUBSET_SIZE: Input = Input::new("subset_size");
/// Orders of removal that were made elsewhere.
pub const ORDERS: Input = Input::new("orders");
/// Which features go first.
pub const ORDER: Input = Input::new("order");
/// How much a score may differ and count as the same.
pub const TOLERANCE: Input = Input::new("tolerance");
/// Whether a metric is 1 or 0 for a whole curve.
pub const STRICT: Input = Input::new("strict");
/// Up to which size an attribution counts as zero.
pub const ZERO_THRESHOLD: Input = Input::new("zero_threshold");
/// The number of positions that are removed together.
pub const GROUP_SIZE: Input = Input::new("group_size");
/// In which unit a gap is.
pub const GAP: Input = Input::new("gap");
/// Below which change of the score a feature counts as ignored.
pub const CHANGE_THRESHOLD: Input = Input::new("change_threshold");
/// Which features count.
pub const MISMATCH: Input = Input::new("mismatch");
/// A layer of the model.
pub const REPRESENTATION: Input = Input::new("representation");
/// The least relative change that is divided by.
pub const FLOOR: Input = Input::new("floor");
/// The share of positions that are the largest, in percent.
pub const TOP_PERCENT: Input = Input::new("top_percent");
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
/// The bins of a histogram.
pub const BINS: Input = Input::new("bins");
/// How far inputs are shifted.
pub const SHIFTS: Input = Input::new("shifts");
/// Along which axes inputs are shifted.
pub const SHIFT_AXES: Input = Input::new("axes");
/// Up to which distance two maps are near.
pub const NEAR: Input = Input::new("near");
/// Whether positions are in units of their standard deviation.
pub const STANDARDIZED: Input = Input::new("standardized");
/// When two maps count as one explanation.
pub const DISCRETIZER: Input = Input::new("discretizer");
/// From which percentile on positions are marked.
pub const PERCENTILE: Input = Input::new("percentile");
/// Whether a value is in units of the size of a map.
pub const SCALED: Input = Input::new("scaled");
/// What stands for the hull of positions in one line.
pub const COLLINEAR: Input = Input::new("collinear");
/// Maps that others are compared with.
pub const REFERENCE_MAPS: Input = Input::new("reference maps");
/// Whether agreement is averaged over tops of all sizes.
pub const OVER_TOP: Input = Input::new("over_top");
/// What attributions of one size are to rankings.
pub const RANK_TIES: Input = Input::new("rank_ties");
/// What is read off the model's outputs along a curve.
pub const SCORE: Input = Input::new("score");
/// Up to how many features all subsets are shown to the model.
pub const EXACT_UP_TO: Input = Input::new("exact_up_to");
/// How many subsets of one size a search keeps.
pub const BEAM: Input = Input::new("beam");
/// The number of random orders.
pub const N_ORDERS: Input = Input::new("n_orders");
/// How the place among random orders is told.
pub const REFERENCE_SCALE: Input = Input::new("reference_scale");
/// How inputs are changed.
pub const PERTURBATION: Input = Input::new("perturbation");
/// What the values of a map stand for.
pub const MAP_KIND: Input = Input::new("map_kind");
/// What a map is multiplied by.
pub const SCALING: Input = Input::new("scaling");
/// The number of random draws.
pub const DRAWS: Input = Input::new("n_draws");
/// How much of an input is removed, in percent.
pub const PERCENTAGES: Input = Input::new("percentages");
/// What a curve is of.
pub const OF: Input = Input::new("of");
/// The range of values that a feature is set to.
pub const VALUE_RANGE: Input = Input::new("value_range");
/// The number of values that a feature is set to.
pub const N_VALUES: Input = Input::new("n_values");
/// Values that were drawn elsewhere.
pub const GIVEN_VALUES: Input = Input::new("given values");
/// The sizes of subsets.
pub const SIZES: Input = Input::new("sizes");
/// The number of random subsets of each size.
pub const SUBSETS_PER_SIZE: Input = Input::new("subsets_per_size");
/// The share of ranked features that is removed at a time.
pub const REMOVED_SHARE: Input = Input::new("removed_share");
