//! How often two runs are both right or both wrong.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::pair_metric::definition::{PairDefinition, PairFormula, PairMetric};

impl PairMetric {
    /// Agreement of right and wrong: `mean(e_i = e_j)` in [0, 1]. 1 = the same errors, 0 = each errs
    /// exactly where the other does not.
    pub const EC_ACC: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "ec_acc",
            title: "Agreement of errors",
            question: "How often are both runs right or both wrong?",
            direction: Direction::Higher,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "percent agreement of the error vectors",
        },
        formula: PairFormula::Errors(|errors| {
            let equal = errors.n_samples + 2 * errors.both - errors.first - errors.second;
            Some(equal as f64 / errors.n_samples as f64)
        }),
        undefined_without_errors: false,
    });
}
