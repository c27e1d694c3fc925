//! How many samples two runs both get wrong.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::pair_metric::definition::{PairDefinition, PairFormula, PairMetric};

impl PairMetric {
    /// Global error consistency: `|e_i ∧ e_j| / n` in [0, 1]. 0 = no shared error; accurate runs have few
    /// errors to share.
    pub const EC_GLOBAL: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "ec_global",
            title: "Global error consistency",
            question: "How many of all samples do both runs get wrong?",
            direction: Direction::None,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "share of the intersection of the error sets",
        },
        formula: PairFormula::Errors(|errors| Some(errors.both as f64 / errors.n_samples as f64)),
        undefined_without_errors: false,
    });
}
