//! The inputs that errors of this crate are about: arrays, parameters and stored states.

use xai_core::Input;

pub use xai_core::input::{LABELS, LEVEL, METRIC, PREDICTIONS, SAMPLES, TARGETS, WEIGHTS};

/// Repeated trainings of one method; a row of the predictions each.
pub const RUNS: Input = Input::new("runs");
/// The values of a metric on pairs of runs.
pub const PAIRS: Input = Input::new("pairs of runs");
/// The samples that each run gets wrong.
pub const ERRORS: Input = Input::new("errors");
/// The metrics that are asked for.
pub const METRICS: Input = Input::new("metrics");
/// What a metric of errors is where neither run errs.
pub const EMPTY_UNION: Input = Input::new("empty_union");
/// Runs that were packed for counting.
pub const PACKED_RUNS: Input = Input::new("packed runs");
/// A stored state of the pairwise metrics.
pub const PAIRWISE_STATE: Input = Input::new("state of pairwise metrics");
/// The classes of a law.
pub const CLASSES: Input = Input::new("classes");
/// How many classes a law has.
pub const N_CLASSES: Input = Input::new("n_classes");
/// How many samples are simulated.
pub const N_SAMPLES: Input = Input::new("n_samples");
/// How many runs are simulated.
pub const N_RUNS: Input = Input::new("n_runs");
/// The probabilities of the classes.
pub const PROBABILITIES: Input = Input::new("probabilities");
/// The draws of the simulation study.
pub const DRAWS: Input = Input::new("draws of the study");
/// How many bins of accuracy a profile has.
pub const N_BINS: Input = Input::new("bins");
/// Stored counts of an agreement of all runs.
pub const AGREEMENT: Input = Input::new("agreement");
/// Stored values of regression metrics.
pub const REGRESSION: Input = Input::new("values of regression metrics");
