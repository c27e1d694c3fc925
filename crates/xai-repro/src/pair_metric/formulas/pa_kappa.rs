//! How often two runs predict the same, beyond chance.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::pair_metric::counts::EqualPredictions;
use crate::pair_metric::definition::{PairDefinition, PairFormula, PairMetric};

impl PairMetric {
    /// Cohen's κ: `(p_o − p_e) / (1 − p_e)` in [−1, 1]. 1 = always the same prediction, 0 = as by chance.
    /// Undefined where agreement is certain by chance (both constant on one class).
    pub const PA_KAPPA: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "pa_kappa",
            title: "Cohen's kappa",
            question: "How often do both runs predict the same class, beyond chance?",
            direction: Direction::Higher,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS],
            source: "Cohen 1960",
        },
        formula: PairFormula::Equal(cohens_kappa),
        undefined_without_errors: false,
    });
}

/// κ from whole numbers: `Σ_c n_c m_c` is the agreement by chance, in units of `1/n²`.
fn cohens_kappa(runs: &EqualPredictions<'_>) -> Option<f64> {
    let n = i128::from(runs.n_samples);
    let classes = runs.first.iter().zip(runs.second);
    let by_chance: i128 = classes.map(|(&a, &b)| i128::from(a) * i128::from(b)).sum();
    let room = n * n - by_chance;
    (room > 0).then(|| (n * i128::from(runs.equal) - by_chance) as f64 / room as f64)
}
