//! Metrics of the agreement between the predictions of two runs.

use xai_core::ExactSum;
use xai_core::describe::metric;

use crate::input;
use crate::pair_metric::chance::beyond_chance;
use crate::pair_metric::count_logs::CountLogs;
use crate::pair_metric::definition::{
    ClassTable, EqualPredictions, PairDefinition, PairFormula, PairMetric,
};

impl PairMetric {
    /// Share of samples for which both runs predict the same class.
    ///
    /// ```text
    /// mean(ŷ_i = ŷ_j)
    /// ```
    ///
    /// # Extremes
    /// 1: always the same prediction. 0: never.
    ///
    /// # Limits
    /// Runs that mostly predict one class agree by chance: see Cohen's κ.
    ///
    /// # Source
    /// Percent agreement of the predictions.
    ///
    /// # Elsewhere
    /// `sklearn.metrics.accuracy_score`
    #[metric(
        name = "pa_acc",
        title = "Percent agreement",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const PA_ACC: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Equal(|runs| Some(runs.equal as f64 / runs.n_samples as f64)),
        undefined_without_errors: false,
    });

    /// Share of samples for which both runs predict different classes.
    ///
    /// ```text
    /// mean(ŷ_i ≠ ŷ_j) = 1 − pa_acc
    /// ```
    ///
    /// Also called churn.
    ///
    /// # Extremes
    /// 0: always the same prediction. 1: never.
    ///
    /// # Source
    /// Milani Fard et al., *Launch and Iterate: Reducing Prediction Churn*, 2016.
    ///
    /// # Elsewhere
    /// `sklearn.metrics.zero_one_loss`
    #[metric(
        name = "pa_disagreement",
        title = "Disagreement",
        direction = Direction::Lower,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const PA_DISAGREEMENT: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Equal(|runs| {
            Some((runs.n_samples - runs.equal) as f64 / runs.n_samples as f64)
        }),
        undefined_without_errors: false,
    });

    /// Agreement of both runs on the class beyond chance (Cohen's κ).
    ///
    /// ```text
    /// (p_o − p_e) / (1 − p_e), p_e = Σ_c p_i(c) p_j(c)
    /// ```
    ///
    /// Undefined where agreement is certain by chance (both runs constant on one class).
    ///
    /// # Extremes
    /// 1: always the same prediction. 0: as by chance. Below 0: less than by chance.
    ///
    /// # Source
    /// Cohen, *A coefficient of agreement for nominal scales*, 1960.
    ///
    /// # Elsewhere
    /// `sklearn.metrics.cohen_kappa_score`
    #[metric(
        name = "pa_kappa",
        title = "Cohen's kappa",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const PA_KAPPA: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Equal(cohens_kappa),
        undefined_without_errors: false,
    });
}

/// Cohen's κ: `Σ_c n_c m_c` is the agreement by chance in units of `1/n²`.
fn cohens_kappa(runs: &EqualPredictions<'_>) -> Option<f64> {
    let classes = runs.first.iter().zip(runs.second);
    let by_chance = classes.map(|(&a, &b)| i128::from(a) * i128::from(b)).sum();
    beyond_chance(runs.n_samples, runs.equal, by_chance)
}

impl PairMetric {
    /// Association of the predictions of both runs (Cramér's V).
    ///
    /// ```text
    /// √(χ² / (n (min(r, c) − 1))), χ² = n (Σ n_ij² / (n_i· n_·j) − 1)
    /// ```
    ///
    /// Without bias correction, over the classes present in the pair. Undefined where either run predicts one class
    /// only.
    ///
    /// # Extremes
    /// 0: independent. 1: the prediction of one run determines that of the other.
    ///
    /// # Limits
    /// Association is not agreement: runs that swap two classes have 1.
    ///
    /// # Source
    /// Cramér, *Mathematical Methods of Statistics*, 1946.
    ///
    /// # Elsewhere
    /// `scipy.stats.contingency.association`
    #[metric(
        name = "pa_cramers_v",
        title = "Cramér's V",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const PA_CRAMERS_V: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Table(cramers_v),
        undefined_without_errors: false,
    });
}

/// Cramér's V from the cells that are not 0. `r` and `c` count the classes that occur in the first and the second run.
///
/// ```text
/// V = √(χ² / (n (min(r, c) − 1)))      χ² = n (Σ n_ij² / (n_i· n_·j) − 1)
/// ```
///
/// Terms are added as integer multiples of 2⁻⁶². The sum therefore does not depend on the order of the cells, and the 1
/// is subtracted exactly; each term is rounded by less than 2⁻⁶². An [`ExactSum`](xai_core::ExactSum) took four times
/// as long for a table of 50 classes.
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
    let phi_squared = if beyond_chance < NEARLY_INDEPENDENT {
        phi_squared_without_cancellation(table)
    } else {
        beyond_chance
    };
    Some((phi_squared / (classes - 1) as f64).clamp(0.0, 1.0).sqrt())
}

/// Value of `χ²/n` below which the difference of nearly equal numbers in [`cramers_v`] has lost too many digits.
const NEARLY_INDEPENDENT: f64 = 1e-9;

/// `χ²/n` from the deviation of each cell from chance, in exact integers, so that nothing cancels and independence
/// gives 0:
///
/// ```text
/// χ²/n = (Σ (n n_ij − n_i· n_·j)² / (n_i· n_·j)) / n²
/// ```
///
/// The term of an empty cell is `n_i· n_·j`. Over all cells these products sum to `n²`, so that the empty ones together
/// are `n²` minus the products of the other cells.
fn phi_squared_without_cancellation(table: &ClassTable<'_>) -> f64 {
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
    /// Normalized mutual information of the predictions of both runs.
    ///
    /// ```text
    /// 2 I(ŷ_i; ŷ_j) / (H(ŷ_i) + H(ŷ_j))
    /// ```
    ///
    /// Undefined where both runs predict one class only (scikit-learn returns 1).
    ///
    /// # Extremes
    /// 0: independent. 1: the predictions of the two runs determine each other.
    ///
    /// # Limits
    /// Association is not agreement: runs that swap two classes have 1.
    ///
    /// # Source
    /// Strehl and Ghosh, *Cluster ensembles*, 2002, with the arithmetic mean.
    ///
    /// # Elsewhere
    /// `sklearn.metrics.normalized_mutual_info_score`
    #[metric(
        name = "pa_nmi",
        title = "Normalised mutual information",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const PA_NMI: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Table(normalized_mutual_information),
        undefined_without_errors: false,
    });
}

/// Normalized mutual information from entropies in integer units, whose differences are exact.
///
/// ```text
/// NMI = 2 I(ŷ_i; ŷ_j) / (H(ŷ_i) + H(ŷ_j))
/// ```
fn normalized_mutual_information(table: &ClassTable<'_>) -> Option<f64> {
    let logs = CountLogs::new(table.n_samples);
    // n · H = n ln n − Σ x ln x over the counts, for the entropy of each run and of both together.
    let all = logs.sum(std::iter::once(table.n_samples));
    let first = all - logs.sum(table.rows.iter().copied());
    let second = all - logs.sum(table.columns.iter().copied());
    let joint = all - logs.sum(table.cells.iter().map(|cell| cell.count));
    // I = H_first + H_second − H_joint. The factor n and the unit cancel in the ratio.
    (first + second > 0).then(|| {
        let shared = 2 * (first + second - joint);
        (shared as f64 / (first + second) as f64).clamp(0.0, 1.0)
    })
}
