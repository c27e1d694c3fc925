//! Which metrics are taken of pairs, and how.

use xai_core::describe::{Parameter, Parameters};
use xai_core::simd::InstructionSet;
use xai_core::{Error, Result};

use crate::input;
use crate::named::shown_by_word;
use crate::pair_metric::definition::PairMetric;
use crate::pair_metric::formulas::METRICS;

/// Which metrics are taken of pairs of runs, and how: the options of all that takes them.
///
/// All metrics by default, an empty union undefined. [`evaluate`](Self::evaluate),
/// [`evaluate_packed`](Self::evaluate_packed) and [`summarize`](Self::summarize) take them of runs in
/// memory, [`PairwiseAccumulator`](crate::PairwiseAccumulator) of samples in blocks,
/// [`GroupComparison`](crate::GroupComparison) of two groups of runs.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PairMetric, Pairwise};
/// let labels = [0, 1, 1, 0];
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let pairwise = Pairwise::new().metrics(&[PairMetric::EC_LOCAL, PairMetric::PA_KAPPA]);
/// let runs = pairwise.evaluate(predictions.view(), &labels)?;
/// // Errors {2, 3}, {1, 2}, {3}: one of three shared, one of two, none of three.
/// let local = runs.pairs(PairMetric::EC_LOCAL);
/// assert_eq!(local, [Some(1.0 / 3.0), Some(0.5), Some(0.0)]);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Pairwise {
    #[param(skip)]
    pub(crate) metrics: Vec<PairMetric>,
    /// What a metric of errors, local error consistency, is for two runs without errors.
    pub(crate) empty_union: EmptyUnion,
    #[param(skip)]
    pub(crate) instruction_set: InstructionSet,
}

impl Default for Pairwise {
    fn default() -> Self {
        Self::new()
    }
}

impl Pairwise {
    /// All metrics, an empty union undefined.
    #[must_use]
    pub fn new() -> Self {
        Self {
            metrics: METRICS.to_vec(),
            empty_union: EmptyUnion::default(),
            instruction_set: InstructionSet::fastest(),
        }
    }

    /// Only these metrics; all by default.
    #[must_use]
    pub fn metrics(mut self, metrics: &[PairMetric]) -> Self {
        self.metrics = metrics.to_vec();
        self
    }

    /// The instructions to count with; the fastest by default. The results do not depend on it.
    #[must_use]
    pub fn instruction_set(mut self, instruction_set: InstructionSet) -> Self {
        self.instruction_set = instruction_set;
        self
    }

    /// Checks the options, as all that takes them does first.
    pub(crate) fn check(&self) -> Result<()> {
        match self.metrics.is_empty() {
            true => Err(Error::empty(input::METRICS)),
            false => Ok(()),
        }
    }
}

/// What a metric that is undefined without errors, [`PairMetric::EC_LOCAL`], is for two runs without
/// any error.
///
/// Packages disagree here; each of their numbers is one of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum EmptyUnion {
    /// Undefined, and counted.
    #[default]
    #[param(alias = "nan")]
    Undefined,
    /// 0: nothing is shared.
    #[param(alias = "0")]
    Zero,
    /// 1: the error sets are equal.
    #[param(alias = "1")]
    One,
    /// The pair is left out, and not counted as undefined.
    Drop,
    /// An error that names the pair.
    Error,
}

impl EmptyUnion {
    /// Whether an undefined value of a metric is left out of its summary altogether.
    pub(crate) fn drops(self, metric: PairMetric) -> bool {
        self == Self::Drop && metric.definition().undefined_without_errors
    }
}

shown_by_word!(EmptyUnion);
