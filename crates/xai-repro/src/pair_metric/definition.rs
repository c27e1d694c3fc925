//! What a metric of a pair of runs is.

use xai_core::describe::MetricInfo;

/// A metric of two runs' predictions, for example [`PairMetric::EC_LOCAL`].
///
/// `e` are the samples that a run gets wrong, `ŷ` its predictions, `n` the number of samples. Two
/// metrics of one name are the same metric. The metrics of this crate are listed in
/// [`registry::PAIR_METRICS`](crate::registry::PAIR_METRICS); another crate may define its own and
/// use it wherever a metric is taken:
///
/// ```
/// use ndarray::array;
/// use xai_core::describe::{Direction, MetricInfo, Range};
/// use xai_repro::pair_metric::{PairDefinition, PairFormula};
/// use xai_repro::{PairMetric, Pairwise};
///
/// const EC_DICE: PairMetric = PairMetric::new(&PairDefinition {
///     info: &MetricInfo {
///         title: "Dice overlap of errors",
///         summary: "Overlap of two runs' errors relative to their mean size",
///         direction: Direction::Higher,
///         range: Range::SHARE,
///         needs: &[xai_core::input::PREDICTIONS, xai_core::input::LABELS],
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

/// Everything about a metric of a pair of runs.
#[derive(Debug)]
pub struct PairDefinition {
    /// The description.
    pub info: &'static MetricInfo,
    /// Its formula, and with it what is counted of a pair.
    pub formula: PairFormula,
    /// Whether it is undefined exactly where neither run errs: then
    /// [`EmptyUnion`](crate::EmptyUnion) says what it is there.
    pub undefined_without_errors: bool,
}

/// The formula of a metric: a function of what it needs to be counted of a pair, `None` where the
/// metric is undefined. It must not depend on the order of classes, cells or runs. A value that is not
/// finite is an error about the metric, with the pair as index.
#[derive(Debug, Clone, Copy)]
pub enum PairFormula {
    /// Of the errors of both runs: one bit per sample and run is all that is packed.
    Errors(fn(&ErrorTable) -> Option<f64>),
    /// Of the number of equal predictions and how often each run predicts each class.
    Equal(fn(&EqualPredictions<'_>) -> Option<f64>),
    /// Of the table of both runs' classes.
    Table(fn(&ClassTable<'_>) -> Option<f64>),
}

impl PairMetric {
    /// The metric of a definition.
    #[must_use]
    pub const fn new(definition: &'static PairDefinition) -> Self {
        Self { definition }
    }

    /// Everything about it.
    #[must_use]
    pub const fn definition(self) -> &'static PairDefinition {
        self.definition
    }

    /// The description.
    #[must_use]
    pub const fn info(self) -> &'static MetricInfo {
        self.definition.info
    }

    /// The name in files and on the command line: `ec_local`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.definition.info.name
    }
}

/// What pairs are counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PairNeeds {
    /// Errors that a pair shares.
    pub(crate) errors: bool,
    /// Predictions that a pair shares.
    pub(crate) equal: bool,
    /// The class table of a pair.
    pub(crate) tables: bool,
}

impl PairNeeds {
    /// Predictions that a pair shares alone.
    pub(crate) const EQUAL: Self = Self {
        errors: false,
        equal: true,
        tables: false,
    };

    /// What metrics need together.
    pub(crate) fn of(metrics: &[PairMetric]) -> Self {
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

    /// Whether predictions are told apart, not only right from wrong.
    pub(crate) fn classes(self) -> bool {
        self.equal || self.tables
    }

    /// Whether all of it is among other needs.
    pub(crate) fn within(self, other: Self) -> bool {
        (!self.errors || other.errors)
            && (!self.equal || other.equal)
            && (!self.tables || other.tables)
    }
}

/// How two runs' errors fall together: a 2 × 2 table of `n` samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorTable {
    /// Samples that both get wrong.
    pub both: u64,
    /// Samples that the first gets wrong.
    pub first: u64,
    /// Samples that the second gets wrong.
    pub second: u64,
    /// All samples, at least 1.
    pub n_samples: u64,
}

impl ErrorTable {
    /// Samples that either gets wrong.
    #[must_use]
    pub fn union(&self) -> u64 {
        self.first + self.second - self.both
    }
}

/// On how many samples two runs predict the same, and how often each predicts each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EqualPredictions<'a> {
    /// Samples on which both predict the same class.
    pub equal: u64,
    /// How often the first predicts each class.
    pub first: &'a [u64],
    /// How often the second predicts each class, in the same order.
    pub second: &'a [u64],
    /// All samples, at least 1.
    pub n_samples: u64,
}

/// The table of two runs' classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassTable<'a> {
    /// Its cells that are not 0, in no particular order.
    pub cells: &'a [Cell],
    /// How often the first run predicts each class: the row totals.
    pub rows: &'a [u64],
    /// How often the second run predicts each class: the column totals.
    pub columns: &'a [u64],
    /// All samples, at least 1.
    pub n_samples: u64,
}

/// A cell of a class table that is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cell {
    /// The class that the first run predicts, as a place among the row totals.
    pub row: u32,
    /// The class that the second run predicts, as a place among the column totals.
    pub column: u32,
    /// On how many samples.
    pub count: u64,
}
