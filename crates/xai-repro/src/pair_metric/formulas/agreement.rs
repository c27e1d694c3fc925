//! Metrics of how two runs' predictions agree.

use xai_core::ExactSum;
use xai_core::describe::{Direction, Invariance, MetricInfo, Range, Reading};

use crate::input;
use crate::pair_metric::count_logs::CountLogs;
use crate::pair_metric::definition::{
    ClassTable, EqualPredictions, PairDefinition, PairFormula, PairMetric,
};

impl PairMetric {
    /// Percent agreement: `mean(ŷ_i = ŷ_j)` in [0, 1]. 1 = always the same prediction.
    pub const PA_ACC: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "pa_acc",
            title: "Percent agreement",
            question: "How often do both runs predict the same class?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS],
            source: "percent agreement of the predictions",
            reading: Reading::NONE,
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
            invariance: Invariance::SCALE,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS],
            source: "Milani Fard et al. 2016",
            reading: Reading::NONE,
        },
        formula: PairFormula::Equal(|runs| {
            Some((runs.n_samples - runs.equal) as f64 / runs.n_samples as f64)
        }),
        undefined_without_errors: false,
    });

    /// Cohen's κ: `(p_o − p_e) / (1 − p_e)` in [−1, 1]. 1 = always the same prediction, 0 = as by chance.
    /// Undefined where agreement is certain by chance (both constant on one class).
    pub const PA_KAPPA: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "pa_kappa",
            title: "Cohen's kappa",
            question: "How often do both runs predict the same class, beyond chance?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS],
            source: "Cohen 1960",
            reading: Reading::NONE,
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

impl PairMetric {
    /// Cramér's V without bias correction, over the classes present in the pair, in [0, 1]. 0 =
    /// independent, 1 = one run's prediction determines the other's. Undefined where either run predicts
    /// one class only.
    pub const PA_CRAMERS_V: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "pa_cramers_v",
            title: "Cramér's V",
            question: "Are the predictions of both runs associated at all?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS],
            source: "Cramér 1946",
            reading: Reading::NONE,
        },
        formula: PairFormula::Table(cramers_v),
        undefined_without_errors: false,
    });
}

/// V of the cells that are not 0; classes that occur in neither run do not count.
///
/// ```text
/// V = √(χ² / (n (min(r, c) − 1)))      χ² = n (Σ n_ij² / (n_i· n_·j) − 1)
/// ```
///
/// The terms are added as integers of 2⁻⁶², so their order does not show and the 1 is subtracted
/// exactly; a term is off by less than that unit. (An [`ExactSum`](xai_core::ExactSum) took four
/// times as long for a table of 50 classes.)
fn cramers_v(table: &ClassTable<'_>) -> Option<f64> {
    const ONE: f64 = (1u64 << 62) as f64;
    let present = |totals: &[u64]| totals.iter().filter(|&&total| total > 0).count();
    let classes = present(table.rows).min(present(table.columns));
    if classes < 2 {
        return None;
    }
    let mut association = 0u128;
    for cell in table.cells {
        let count = cell.count as f64;
        let totals =
            table.rows[cell.row as usize] as f64 * table.columns[cell.column as usize] as f64;
        association += u128::from((count * count / totals * ONE) as u64);
    }
    let beyond_chance = (association as i128 - (1i128 << 62)) as f64 / ONE;
    let phi_squared = match beyond_chance < NEARLY_INDEPENDENT {
        true => excess(table),
        false => beyond_chance,
    };
    Some((phi_squared / (classes - 1) as f64).clamp(0.0, 1.0).sqrt())
}

/// Below this `χ²/n` is what rounding leaves of a difference of nearly equal sums.
const NEARLY_INDEPENDENT: f64 = 1e-9;

/// `χ²/n` from what each cell has beyond chance, in whole numbers, so that nothing cancels and independence is 0:
///
/// ```text
/// χ²/n = (Σ (n n_ij − n_i· n_·j)² / (n_i· n_·j)) / n²
/// ```
///
/// A cell of 0 has the term `n_i· n_·j`; the sum of these is `n²` less those of the other cells.
fn excess(table: &ClassTable<'_>) -> f64 {
    let n = i128::from(table.n_samples);
    let n_squared = n as f64 * n as f64;
    let mut empty = n * n;
    let mut terms = ExactSum::new();
    for cell in table.cells {
        let by_chance = i128::from(table.rows[cell.row as usize])
            * i128::from(table.columns[cell.column as usize]);
        empty -= by_chance;
        let beyond = (n * i128::from(cell.count) - by_chance) as f64;
        terms.add(beyond * beyond / by_chance as f64);
    }
    (terms.value() + empty as f64) / n_squared
}

impl PairMetric {
    /// Normalised mutual information `2 I(ŷ_i; ŷ_j) / (H(ŷ_i) + H(ŷ_j))` in [0, 1]. 0 = independent, 1 =
    /// one determines the other. Undefined where both runs predict one class only (scikit-learn says 1).
    pub const PA_NMI: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "pa_nmi",
            title: "Normalised mutual information",
            question: "How much does the prediction of one run tell of the other?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS],
            source: "Strehl and Ghosh 2002, with the arithmetic mean",
            reading: Reading::NONE,
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
