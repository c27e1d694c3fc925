//! Inputs that errors refer to: those of this crate, and those that several families share.
//!
//! A family uses a constant from here if it has the same input, and defines its other inputs in a
//! module of the same name.

use crate::input_name::Input;

/// Samples that are explained or predicted, one per row of the data.
pub const SAMPLES: Input = Input::new("samples");
/// Class of each sample.
pub const LABELS: Input = Input::new("labels");
/// Predictions of a model or of several runs.
pub const PREDICTIONS: Input = Input::new("predictions");
/// Samples that the model is called with.
pub const INPUTS: Input = Input::new("inputs");
/// Attribution maps.
pub const EXPLANATIONS: Input = Input::new("explanations");
/// Explainers of an evaluation.
pub const EXPLAINERS: Input = Input::new("explainers");
/// Metrics of an evaluation.
pub const METRICS: Input = Input::new("metrics");
/// Targets whose scores are explained: a class per sample, or a row of class weights per sample.
pub const TARGETS: Input = Input::new("targets");
/// Model of the caller.
pub const MODEL: Input = Input::new("model");
/// Outputs of a model: a row of scores per sample, one column per class.
pub const OUTPUTS: Input = Input::new("outputs");
/// Scores of classes or samples.
pub const SCORES: Input = Input::new("scores");
/// Values that are summarised.
pub const VALUES: Input = Input::new("values");
/// Weights.
pub const WEIGHTS: Input = Input::new("weights");
/// Rows of features.
pub const ROWS: Input = Input::new("rows");
/// First of two sequences that are compared.
pub const A: Input = Input::new("a");
/// Second of two sequences that are compared.
pub const B: Input = Input::new("b");
/// Paired differences.
pub const DIFFERENCES: Input = Input::new("differences");
/// Values of a metric after a perturbation.
pub const PERTURBED: Input = Input::new("perturbed");
/// Flags of the samples of a perturbation that are used.
pub const KEEP: Input = Input::new("keep");
/// Kind of a perturbation, minor or disruptive.
pub const KIND: Input = Input::new("kind");
/// Direction in which values of a metric are better.
pub const DIRECTION: Input = Input::new("direction");
/// Ratings of the same units by several raters.
pub const RATINGS: Input = Input::new("ratings");
/// Samples of each resampling.
pub const DRAWS: Input = Input::new("draws");
/// Number of resamplings to draw.
pub const N_DRAWS: Input = Input::new("n_draws");
/// Values of a metric under each setting of a parameter.
pub const SETTINGS: Input = Input::new("settings");
/// Covariance matrix.
pub const COVARIANCE: Input = Input::new("covariance");
/// Independently drawn units: runs, samples, graphs.
pub const UNITS: Input = Input::new("units");
/// Number of units that are successes.
pub const SUCCESSES: Input = Input::new("successes");
/// Estimate of an interval.
pub const ESTIMATE: Input = Input::new("estimate");
/// Estimates with one unit left out.
pub const LEAVE_ONE_OUT: Input = Input::new("leave_one_out");
/// Bootstrap replicates of an estimate.
pub const REPLICATES: Input = Input::new("replicates");
/// Number of bootstrap replicates to draw.
pub const N_REPLICATES: Input = Input::new("n_replicates");
/// Coverage of an interval.
pub const LEVEL: Input = Input::new("level");
/// Share of values below a quantile.
pub const Q: Input = Input::new("q");
/// Name of a distance.
pub const DISTANCE: Input = Input::new("distance");
/// Exponent of the Minkowski distance.
pub const P: Input = Input::new("p");
/// Name of a weighting.
pub const WEIGHTING: Input = Input::new("weighting");
/// Exponent of an inverse power.
pub const EXPONENT: Input = Input::new("exponent");
/// Offset of an inverse power, which keeps it finite at distance 0.
pub const OFFSET: Input = Input::new("offset");
/// Bandwidth of a kernel.
pub const BANDWIDTH: Input = Input::new("bandwidth");
/// Name of a metric.
pub const METRIC: Input = Input::new("metric");
/// Name of a parameter.
pub const PARAMETER: Input = Input::new("parameter");
