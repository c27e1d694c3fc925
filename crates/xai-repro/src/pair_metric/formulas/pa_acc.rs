//! How often two runs predict the same.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::pair_metric::definition::{PairDefinition, PairFormula, PairMetric};

impl PairMetric {
    /// Percent agreement: `mean(ŷ_i = ŷ_j)` in [0, 1]. 1 = always the same prediction.
    pub const PA_ACC: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "pa_acc",
            title: "Percent agreement",
            question: "How often do both runs predict the same class?",
            direction: Direction::Higher,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS],
            source: "percent agreement of the predictions",
        },
        formula: PairFormula::Equal(|runs| Some(runs.equal as f64 / runs.n_samples as f64)),
        undefined_without_errors: false,
    });

    /// Disagreement rate ("churn"): `mean(ŷ_i ≠ ŷ_j)` in [0, 1]; `1 −` [`PA_ACC`](Self::PA_ACC). 0 =
    /// always the same prediction.
    pub const PA_DISAGREEMENT: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "pa_disagreement",
            title: "Disagreement",
            question: "How often do both runs predict different classes?",
            direction: Direction::Lower,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS],
            source: "Milani Fard et al. 2016",
        },
        formula: PairFormula::Equal(|runs| {
            Some((runs.n_samples - runs.equal) as f64 / runs.n_samples as f64)
        }),
        undefined_without_errors: false,
    });
}
