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
/// The share below a quantile of the values of pairs.
pub const QUANTILE: Input = Input::new("quantile");
/// How many assignments of runs to groups a permutation test looks at.
pub const N_ASSIGNMENTS: Input = Input::new("n_assignments");
/// The classes of a law.
pub const CLASSES: Input = Input::new("classes");
/// How many classes a law has.
pub const N_CLASSES: Input = Input::new("n_classes");
/// The largest number of classes of the study.
pub const MAX_CLASSES: Input = Input::new("max_classes");
/// How many samples are simulated.
pub const N_SAMPLES: Input = Input::new("n_samples");
/// How many runs are simulated.
pub const N_RUNS: Input = Input::new("n_runs");
/// The probabilities of the classes.
pub const PROBABILITIES: Input = Input::new("probabilities");
/// A class distribution by name.
pub const CLASS_DISTRIBUTION: Input = Input::new("kind");
/// The raw value of the rarest class of the exponential distribution.
pub const LOWEST: Input = Input::new("lowest");
/// Where simulated runs may err, by name.
pub const ERROR_SET: Input = Input::new("error set");
/// The largest share of samples that a simulated run gets wrong.
pub const MAX_ERROR_SHARE: Input = Input::new("max_error_share");
/// The share of errors that simulated runs copy from a common base.
pub const COPIED: Input = Input::new("copied");
/// The draws of the simulation study.
pub const DRAWS: Input = Input::new("draws of the study");
/// How many bins of accuracy a profile has.
pub const N_BINS: Input = Input::new("bins");
/// Stored counts of an agreement of all runs.
pub const AGREEMENT: Input = Input::new("agreement");
/// Stored values of regression metrics.
pub const REGRESSION: Input = Input::new("values of regression metrics");
