//! How much the prediction of one run tells of the other.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::pair_metric::count_logs::CountLogs;
use crate::pair_metric::counts::ClassTable;
use crate::pair_metric::definition::{PairDefinition, PairFormula, PairMetric};

impl PairMetric {
    /// Normalised mutual information `2 I(ŷ_i; ŷ_j) / (H(ŷ_i) + H(ŷ_j))` in [0, 1]. 0 = independent, 1 =
    /// one determines the other. Undefined where both runs predict one class only (scikit-learn says 1).
    pub const PA_NMI: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "pa_nmi",
            title: "Normalised mutual information",
            question: "How much does the prediction of one run tell of the other?",
            direction: Direction::Higher,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS],
            source: "Strehl and Ghosh 2002, with the arithmetic mean",
        },
        formula: PairFormula::Table(normalized_mutual_information),
        undefined_without_errors: false,
    });
}

/// NMI by entropies in whole units.
///
/// ```text
/// NMI = 2 I(ŷ_i; ŷ_j) / (H(ŷ_i) + H(ŷ_j))
/// ```
fn normalized_mutual_information(table: &ClassTable<'_>) -> Option<f64> {
    let logs = CountLogs::new(table.n_samples);
    let all = logs.sum(std::iter::once(table.n_samples));
    let first = all - logs.sum(table.rows.iter().copied());
    let second = all - logs.sum(table.columns.iter().copied());
    let joint = all - logs.sum(table.cells.iter().map(|cell| cell.count));
    // n times entropies, in the same unit.
    (first + second > 0).then(|| {
        let shared = 2 * (first + second - joint);
        (shared as f64 / (first + second) as f64).clamp(0.0, 1.0)
    })
}
