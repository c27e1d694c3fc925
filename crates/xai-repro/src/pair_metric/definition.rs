//! Definition of a metric of a pair of runs, and the counts that formulas take.

use std::fmt;

use xai_core::describe::MetricInfo;
use xai_core::{Error, Result};

use crate::input;

/// A metric of the predictions of two runs: `EC_…` measure the consistency of errors, `PA_…` the agreement of
/// predictions.
///
/// In formulas, `e_i` marks the samples that run `i` predicts wrongly, `ŷ_i` are its predictions, and `n` is the number
/// of samples. Metrics with the same name are equal. The metrics of this crate are listed in
/// [`metrics::PAIR_METRICS`](crate::metrics::PAIR_METRICS). Other crates can define their own, which work everywhere:
///
/// ```
/// use ndarray::array;
/// use xai_repro::pair_metric::{Direction, MetricInfo, PairDefinition, PairFormula, Range};
/// use xai_repro::{PairMetric, Pairwise, input};
///
/// const EC_DICE: PairMetric = PairMetric::new(&PairDefinition {
///     info: &MetricInfo {
///         title: "Dice overlap of errors",
///         summary: "Overlap of two runs' errors relative to their mean size",
///         direction: Direction::Higher,
///         range: Range::SHARE,
///         needs: &[input::PREDICTIONS, input::LABELS],
///         source: "Dice 1945",
///         ..MetricInfo::named("ec_dice")
///     },
///     formula: PairFormula::Errors(|errors| {
///         let wrong = errors.first + errors.second;
///         (wrong > 0).then(|| 2.0 * errors.both as f64 / wrong as f64)
///     }),
///     undefined_without_errors: true,
/// });
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0]]; // errors {2, 3} and {1, 2}
/// let runs = Pairwise::new().metrics(&[EC_DICE]).evaluate(predictions.view(), &[0, 1, 1, 0])?;
/// assert_eq!(runs.pairs(EC_DICE), [Some(0.5)]);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct PairMetric {
    definition: &'static PairDefinition,
}

/// Definition of a metric of a pair of runs: description, formula and the rule for pairs without errors.
#[derive(Debug)]
pub struct PairDefinition {
    /// Description of the metric.
    pub info: &'static MetricInfo,
    /// Formula, whose variant says which counts of a pair the metric needs.
    pub formula: PairFormula,
    /// True if the metric is undefined exactly for pairs in which neither run has an error. The value of such pairs is
    /// then set by [`EmptyUnion`](crate::EmptyUnion).
    pub undefined_without_errors: bool,
}

/// Formula of a metric: a function of the counts of a pair.
///
/// It returns `None` if the metric is undefined, and must not depend on the order of classes, cells or runs. A value
/// that is not finite is reported as an error about the metric, with the pair as index.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum PairFormula {
    /// A function of the errors of both runs, for which one bit per sample and run is packed.
    Errors(fn(&ErrorTable) -> Option<f64>),
    /// A function of the number of equal predictions and the class counts of both runs.
    Equal(fn(&EqualPredictions<'_>) -> Option<f64>),
    /// A function of the contingency table of the classes of both runs.
    Table(fn(&ClassTable<'_>) -> Option<f64>),
}

impl PairMetric {
    /// Creates a metric from its definition.
    #[must_use]
    pub const fn new(definition: &'static PairDefinition) -> Self {
        Self { definition }
    }

    /// Definition of the metric.
    #[must_use]
    pub const fn definition(self) -> &'static PairDefinition {
        self.definition
    }

    /// Description of the metric.
    #[must_use]
    pub const fn info(self) -> &'static MetricInfo {
        self.definition.info
    }

    /// Name of the metric in files and on the command line, for example `ec_local`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.definition.info.name
    }
}

/// The counts of a pair that some metrics need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PairNeeds {
    /// Number of common errors.
    pub(crate) errors: bool,
    /// Number of equal predictions.
    pub(crate) equal: bool,
    /// Class table.
    pub(crate) tables: bool,
}

impl PairNeeds {
    /// Only the number of equal predictions.
    pub(crate) const EQUAL: Self = Self {
        errors: false,
        equal: true,
        tables: false,
    };

    /// Collects the counts that any of the metrics needs.
    pub(crate) fn new(metrics: &[PairMetric]) -> Self {
        let mut needs = Self::default();
        for metric in metrics {
            match metric.definition.formula {
                PairFormula::Errors(_) => needs.errors = true,
                PairFormula::Equal(_) => needs.equal = true,
                PairFormula::Table(_) => needs.tables = true,
            }
        }
        needs
    }

    /// True if the predicted classes are needed, not only which predictions are wrong.
    pub(crate) fn classes(self) -> bool {
        self.equal || self.tables
    }

    /// Checks that other runs were packed for metrics with the same needs.
    ///
    /// # Errors
    /// `InvalidParameter`.
    pub(crate) fn check_equal(self, other: Self) -> Result<()> {
        if self == other {
            return Ok(());
        }
        let expected = format!("{self}, as the runs they are merged into");
        Err(Error::parameter(input::PACKED_RUNS, other, expected))
    }

    /// True if `other` includes all of these counts.
    pub(crate) fn is_subset_of(self, other: Self) -> bool {
        (!self.errors || other.errors)
            && (!self.equal || other.equal)
            && (!self.tables || other.tables)
    }
}

impl fmt::Display for PairNeeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.errors, "errors"),
            (self.equal, "equal predictions"),
            (self.tables, "class tables"),
        ];
        let needed: Vec<&str> = parts
            .iter()
            .filter(|(is_needed, _)| *is_needed)
            .map(|(_, name)| *name)
            .collect();
        f.write_str(&needed.join(", "))
    }
}

/// Error counts of two runs, which determine the 2 × 2 table of right and wrong predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorTable {
    /// Number of samples that both runs predict wrongly.
    pub both: u64,
    /// Number of samples that the first run predicts wrongly.
    pub first: u64,
    /// Number of samples that the second run predicts wrongly.
    pub second: u64,
    /// Number of all samples, at least 1.
    pub n_samples: u64,
}

impl ErrorTable {
    /// Number of samples that at least one of the runs predicts wrongly.
    #[must_use]
    pub fn union(&self) -> u64 {
        self.first + self.second - self.both
    }

    /// Number of samples that both runs predict correctly or both predict wrongly.
    #[must_use]
    pub fn n_equal(&self) -> u64 {
        self.n_samples + 2 * self.both - self.first - self.second
    }
}

/// Number of equal predictions of two runs, and the class counts of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EqualPredictions<'a> {
    /// Number of samples for which both runs predict the same class.
    pub equal: u64,
    /// Number of predictions of the first run by class.
    pub first: &'a [u64],
    /// Number of predictions of the second run by class, in the same order.
    pub second: &'a [u64],
    /// Number of all samples, at least 1.
    pub n_samples: u64,
}

/// Contingency table of the classes that two runs predict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassTable<'a> {
    /// Cells that are not 0, in unspecified order.
    pub cells: &'a [Cell],
    /// Row totals: number of predictions of the first run by class.
    pub rows: &'a [u64],
    /// Column totals: number of predictions of the second run by class.
    pub columns: &'a [u64],
    /// Number of all samples, at least 1.
    pub n_samples: u64,
}

/// A cell of a [`ClassTable`] that is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cell {
    /// Class that the first run predicts, as an index into the row totals.
    pub row: u32,
    /// Class that the second run predicts, as an index into the column totals.
    pub column: u32,
    /// Number of samples with these two predictions.
    pub count: u64,
}
