//! How much of two runs' errors they share.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::pair_metric::definition::{PairDefinition, PairFormula, PairMetric};

impl PairMetric {
    /// Local error consistency: `|e_i ∧ e_j| / |e_i ∨ e_j|` in [0, 1]. 1 = the same errors, 0 = no shared
    /// error. Of an empty union: [`EmptyUnion`](crate::EmptyUnion).
    pub const EC_LOCAL: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "ec_local",
            title: "Local error consistency",
            question: "Of the samples that either run gets wrong, how many do both get wrong?",
            direction: Direction::Higher,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "Jaccard index of the error sets",
        },
        formula: PairFormula::Errors(|errors| {
            let union = errors.union();
            (union > 0).then(|| errors.both as f64 / union as f64)
        }),
        undefined_without_errors: true,
    });
}
