//! The value of a metric on a pair.

use xai_core::{Error, Result};

use crate::counting::pair_tiles::PairCounts;
use crate::packed::totals::RunTotals;
use crate::pair_metric::counts::{ClassTable, EqualPredictions, ErrorTable};
use crate::pair_metric::definition::{PairFormula, PairMetric};
use crate::pairwise::empty_union::EmptyUnion;
use crate::{help, input};

/// What a metric of a pair is taken from, beside the counts of the pair.
pub(crate) struct Evaluation<'a> {
    pub(crate) totals: &'a RunTotals,
    pub(crate) empty_union: EmptyUnion,
}

impl Evaluation<'_> {
    /// A metric of a pair.
    ///
    /// # Errors
    /// [`OutOfDomain`](xai_core::ErrorKind::OutOfDomain) for an empty union under
    /// [`EmptyUnion::Error`], [`InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for a value that
    /// is not finite.
    pub(crate) fn value(&self, metric: PairMetric, pair: &PairCounts<'_>) -> Result<Option<f64>> {
        let n_samples = self.totals.n_samples;
        let classes = |run: usize| self.totals.class_counts[run].as_slice();
        let definition = metric.definition();
        let value = match definition.formula {
            PairFormula::Errors(formula) => formula(&ErrorTable {
                both: pair.both_wrong,
                first: self.totals.n_wrong[pair.first],
                second: self.totals.n_wrong[pair.second],
                n_samples,
            }),
            PairFormula::Equal(formula) => formula(&EqualPredictions {
                equal: pair.equal,
                first: classes(pair.first),
                second: classes(pair.second),
                n_samples,
            }),
            PairFormula::Table(formula) => formula(&ClassTable {
                cells: pair.cells,
                rows: classes(pair.first),
                columns: classes(pair.second),
                n_samples,
            }),
        };
        match value {
            None if definition.undefined_without_errors => self.without_errors(pair),
            // The formula may be another crate's.
            Some(value) if !value.is_finite() => {
                let expected = "a formula that gives a finite number, or none";
                let error = Error::parameter(input::METRIC, metric, expected);
                Err(error.at(&[pair.first, pair.second]))
            }
            value => Ok(value),
        }
    }

    /// What such a metric is of a pair where neither run errs.
    fn without_errors(&self, pair: &PairCounts<'_>) -> Result<Option<f64>> {
        match self.empty_union {
            EmptyUnion::Undefined | EmptyUnion::Drop => Ok(None),
            EmptyUnion::Zero => Ok(Some(0.0)),
            EmptyUnion::One => Ok(Some(1.0)),
            EmptyUnion::Error => {
                let (index, expected) = ([pair.first, pair.second], "at least one in either run");
                let error = Error::out_of_domain(input::ERRORS, &index, 0.0, expected);
                let error = error.owner("the pair of runs");
                Err(error.with_help(help::CHOOSE_EMPTY_UNION))
            }
        }
    }
}
