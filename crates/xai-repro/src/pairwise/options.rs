//! Options of pairwise evaluation: metrics, pairs without errors, instruction set.

use xai_core::describe::{Parameter, Parameters};
use xai_core::simd::InstructionSet;
use xai_core::{Error, Result};

use crate::input;
use crate::named::impl_display_by_word;
use crate::pair_metric::definition::PairMetric;
use crate::pair_metric::formulas::METRICS;

/// Evaluates metrics for all pairs of runs.
///
/// By default all metrics are evaluated, and metrics that need an error are undefined for pairs without errors.
/// [`evaluate`](Self::evaluate), [`evaluate_packed`](Self::evaluate_packed) and [`summarize`](Self::summarize) take
/// runs in memory. The same options configure [`PairwiseAccumulator`](crate::PairwiseAccumulator) for samples in blocks
/// and [`GroupComparison`](crate::GroupComparison) for two groups of runs.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PairMetric, Pairwise};
/// let labels = [0, 1, 1, 0];
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let pairwise = Pairwise::new().metrics(&[PairMetric::EC_LOCAL, PairMetric::PA_KAPPA]);
/// let runs = pairwise.evaluate(predictions.view(), &labels)?;
/// // Error sets {2, 3}, {1, 2} and {3}: the pairs have 1 of 3, 1 of 2 and 0 of 3 errors in common.
/// let local = runs.pairs(PairMetric::EC_LOCAL);
/// assert_eq!(local, [Some(1.0 / 3.0), Some(0.5), Some(0.0)]);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Pairwise {
    #[param(skip)]
    pub(crate) metrics: Vec<PairMetric>,
    /// Value of local error consistency for two runs without errors.
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
    /// Creates options with all metrics and [`EmptyUnion::Undefined`].
    #[must_use]
    pub fn new() -> Self {
        Self {
            metrics: METRICS.to_vec(),
            empty_union: EmptyUnion::default(),
            instruction_set: InstructionSet::fastest(),
        }
    }

    /// Sets the metrics to evaluate (default: all).
    #[must_use]
    pub fn metrics(mut self, metrics: &[PairMetric]) -> Self {
        self.metrics = metrics.to_vec();
        self
    }

    /// Sets the instruction set for counting (default: the fastest). Results do not depend on it.
    #[must_use]
    pub fn instruction_set(mut self, instruction_set: InstructionSet) -> Self {
        self.instruction_set = instruction_set;
        self
    }

    /// Checks that there is at least one metric.
    pub(crate) fn check(&self) -> Result<()> {
        if self.metrics.is_empty() {
            return Err(Error::empty(input::METRICS));
        }
        Ok(())
    }
}

/// Value of metrics that are undefined without errors, such as [`PairMetric::EC_LOCAL`], for two runs without any
/// error.
///
/// Other packages use different conventions, each of which is one of these variants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum EmptyUnion {
    /// Undefined, and counted as such.
    #[default]
    #[param(alias = "nan")]
    Undefined,
    /// 0, because there are no common errors.
    #[param(alias = "0")]
    Zero,
    /// 1, because the error sets are equal.
    #[param(alias = "1")]
    One,
    /// Leave the pair out, without counting it as undefined.
    Drop,
    /// Fail with an error that names the pair.
    Error,
}

impl EmptyUnion {
    /// True if undefined values of this metric are left out of its summary without being counted.
    pub(crate) fn drops(self, metric: PairMetric) -> bool {
        self == Self::Drop && metric.definition().undefined_without_errors
    }
}

impl_display_by_word!(EmptyUnion);
