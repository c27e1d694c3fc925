//! Names of the inputs in errors of this crate: arrays, parameters and stored states.

use xai_core::Input;

pub use xai_core::input::{LABELS, LEVEL, METRIC, PREDICTIONS, SAMPLES, TARGETS, WEIGHTS};

/// Repeated trainings of one method, each a row of the predictions.
pub const RUNS: Input = Input::new("runs");
/// Values of a metric for pairs of runs.
pub const PAIRS: Input = Input::new("pairs of runs");
/// Wrong predictions of each run.
pub const ERRORS: Input = Input::new("errors");
/// Metrics to evaluate.
pub const METRICS: Input = Input::new("metrics");
/// Value of error metrics for pairs without errors.
pub const EMPTY_UNION: Input = Input::new("empty_union");
/// Runs packed for counting.
pub const PACKED_RUNS: Input = Input::new("packed runs");
/// Stored state of the pairwise metrics.
pub const PAIRWISE_STATE: Input = Input::new("state of pairwise metrics");
/// Stored results of the pairwise metrics.
pub const PAIRWISE_RESULTS: Input = Input::new("results of pairwise metrics");
/// Classes of a distribution.
pub const CLASSES: Input = Input::new("classes");
/// Number of classes of a distribution.
pub const N_CLASSES: Input = Input::new("n_classes");
/// Number of simulated samples.
pub const N_SAMPLES: Input = Input::new("n_samples");
/// Number of simulated runs.
pub const N_RUNS: Input = Input::new("n_runs");
/// Class probabilities.
pub const PROBABILITIES: Input = Input::new("probabilities");
/// Draws of the simulation study.
pub const DRAWS: Input = Input::new("draws of the study");
/// Number of bins of accuracy in a profile.
pub const N_BINS: Input = Input::new("bins");
/// Stored counts of an agreement of all runs.
pub const AGREEMENT: Input = Input::new("agreement");
/// Stored values of regression metrics.
pub const REGRESSION: Input = Input::new("values of regression metrics");
