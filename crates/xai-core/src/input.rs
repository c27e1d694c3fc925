//! The inputs that errors of this crate are about, and those that several families share.
//!
//! A family takes a constant from here where the thing is the same, and defines its own in a module
//! of this name.

use std::fmt;

/// An input of a metric: an array, a parameter, a model, a file of a known role.
///
/// Every crate defines its own as constants in a module `input`, and code that has to act on an
/// error compares with those constants; the name is for people only.
///
/// ```
/// use xai_core::{Error, Input, input};
/// pub const MASK: Input = Input::new("mask");
/// let error = Error::empty(MASK);
/// assert_eq!(error.input(), MASK);
/// assert_ne!(error.input(), input::LABELS);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Input(&'static str);

impl Input {
    /// An input with the name that messages use. Two inputs of one name are the same input.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Input({:?})", self.0)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Input {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

/// What is explained or predicted: one row of the data each.
pub const SAMPLES: Input = Input::new("samples");
/// The class of each sample.
pub const LABELS: Input = Input::new("labels");
/// What a model or several runs predicted.
pub const PREDICTIONS: Input = Input::new("predictions");
/// The samples that a model is called with.
pub const INPUTS: Input = Input::new("inputs");
/// Attribution maps.
pub const EXPLANATIONS: Input = Input::new("explanations");
/// The explainers of an evaluation.
pub const EXPLAINERS: Input = Input::new("explainers");
/// The metrics of an evaluation.
pub const METRICS: Input = Input::new("metrics");
/// What a model's outputs are scored against: a class per sample, or a row of weights.
pub const TARGETS: Input = Input::new("targets");
/// The caller's model.
pub const MODEL: Input = Input::new("model");
/// Rows of scores, one column per class.
pub const OUTPUTS: Input = Input::new("outputs");
/// Scores of classes or samples.
pub const SCORES: Input = Input::new("scores");
/// Values that are summed up.
pub const VALUES: Input = Input::new("values");
/// Weights.
pub const WEIGHTS: Input = Input::new("weights");
/// Rows of features.
pub const ROWS: Input = Input::new("rows");
/// The first of two sequences that are compared.
pub const A: Input = Input::new("a");
/// The second of two sequences that are compared.
pub const B: Input = Input::new("b");
/// Paired differences.
pub const DIFFERENCES: Input = Input::new("differences");
/// The values of a metric after a perturbation.
pub const PERTURBED: Input = Input::new("perturbed");
/// Which samples of a perturbation count.
pub const KEEP: Input = Input::new("keep");
/// Whether a perturbation is minor or disruptive.
pub const KIND: Input = Input::new("kind");
/// Which values of a metric are better.
pub const DIRECTION: Input = Input::new("direction");
/// What several raters say of the same units.
pub const RATINGS: Input = Input::new("ratings");
/// The samples of each resampling.
pub const DRAWS: Input = Input::new("draws");
/// How many resamplings to draw.
pub const N_DRAWS: Input = Input::new("n_draws");
/// The values of a metric under each setting of a parameter.
pub const SETTINGS: Input = Input::new("settings");
/// A covariance matrix.
pub const COVARIANCE: Input = Input::new("covariance");
/// What was drawn independently: runs, samples, graphs.
pub const UNITS: Input = Input::new("units");
/// How many units are of the kind that is counted.
pub const SUCCESSES: Input = Input::new("successes");
/// The estimate that an interval is put around.
pub const ESTIMATE: Input = Input::new("estimate");
/// Estimates with one unit left out.
pub const LEAVE_ONE_OUT: Input = Input::new("leave_one_out");
/// Bootstrap replicates of an estimate.
pub const REPLICATES: Input = Input::new("replicates");
/// How many bootstrap replicates to draw.
pub const N_REPLICATES: Input = Input::new("n_replicates");
/// The coverage of an interval.
pub const LEVEL: Input = Input::new("level");
/// The share below a quantile.
pub const Q: Input = Input::new("q");
/// A distance by name.
pub const DISTANCE: Input = Input::new("distance");
/// The exponent of the Minkowski distance.
pub const P: Input = Input::new("p");
/// A weighting by name.
pub const WEIGHTING: Input = Input::new("weighting");
/// The exponent of an inverse power.
pub const EXPONENT: Input = Input::new("exponent");
/// What keeps an inverse power finite at distance 0.
pub const OFFSET: Input = Input::new("offset");
/// The bandwidth of a kernel.
pub const BANDWIDTH: Input = Input::new("bandwidth");
/// A metric by name.
pub const METRIC: Input = Input::new("metric");
/// A parameter by name.
pub const PARAMETER: Input = Input::new("parameter");
