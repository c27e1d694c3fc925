//! Metrics of the errors that two runs share.

use xai_core::describe::{Direction, Invariance, MetricInfo, Range, Reading};

use crate::input;
use crate::pair_metric::definition::{ErrorTable, PairDefinition, PairFormula, PairMetric};

impl PairMetric {
    /// Local error consistency: `|e_i ∧ e_j| / |e_i ∨ e_j|` in [0, 1]. 1 = the same errors, 0 = no shared
    /// error. Of an empty union: [`EmptyUnion`](crate::EmptyUnion).
    pub const EC_LOCAL: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "ec_local",
            title: "Local error consistency",
            question: "Of the samples that either run gets wrong, how many do both get wrong?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "Jaccard index of the error sets",
            reading: Reading::NONE,
        },
        formula: PairFormula::Errors(|errors| {
            let union = errors.union();
            (union > 0).then(|| errors.both as f64 / union as f64)
        }),
        undefined_without_errors: true,
    });

    /// Global error consistency: `|e_i ∧ e_j| / n` in [0, 1]. 0 = no shared error; accurate runs have few
    /// errors to share.
    pub const EC_GLOBAL: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "ec_global",
            title: "Global error consistency",
            question: "How many of all samples do both runs get wrong?",
            direction: Direction::None,
            invariance: Invariance::SCALE,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "share of the intersection of the error sets",
            reading: Reading::NONE,
        },
        formula: PairFormula::Errors(|errors| Some(errors.both as f64 / errors.n_samples as f64)),
        undefined_without_errors: false,
    });

    /// Agreement of right and wrong: `mean(e_i = e_j)` in [0, 1]. 1 = the same errors, 0 = each errs
    /// exactly where the other does not.
    pub const EC_ACC: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "ec_acc",
            title: "Agreement of errors",
            question: "How often are both runs right or both wrong?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "percent agreement of the error vectors",
            reading: Reading::NONE,
        },
        formula: PairFormula::Errors(|errors| {
            let equal = errors.n_samples + 2 * errors.both - errors.first - errors.second;
            Some(equal as f64 / errors.n_samples as f64)
        }),
        undefined_without_errors: false,
    });

    /// Correlation of errors: Pearson's, which is φ, in [−1, 1]. 1 = the same errors, 0 = unrelated, −1 =
    /// each errs exactly where the other does not. Undefined where a run gets everything right or
    /// everything wrong.
    pub const EC_CORR: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "ec_corr",
            title: "Correlation of errors",
            question: "Are the errors of both runs correlated?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "Pearson's φ of the error vectors",
            reading: Reading::NONE,
        },
        formula: PairFormula::Errors(correlation),
        undefined_without_errors: false,
    });

    /// Matthews' correlation of errors, in [−1, 1]: equal to [`EC_CORR`](Self::EC_CORR) where that is
    /// defined, and 0 where a run gets everything right or everything wrong, as is the custom for this
    /// coefficient (scikit-learn's too). Use it to let such pairs count as uncorrelated.
    pub const EC_MATTHEWS: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "ec_matthews",
            title: "Matthews' correlation of errors",
            question: "Are the errors of both runs correlated, constant errors counting as uncorrelated?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "Matthews 1975",
            reading: Reading::NONE,
        },
        formula: PairFormula::Errors(|errors| Some(correlation(errors).unwrap_or(0.0))),
        undefined_without_errors: false,
    });
}

/// Pearson's correlation of the errors, φ; `None` where either is constant.
///
/// ```text
/// φ = (n |e_i ∧ e_j| − |e_i| |e_j|) / √(|e_i| (n − |e_i|) |e_j| (n − |e_j|))
/// ```
fn correlation(errors: &ErrorTable) -> Option<f64> {
    let counts = [errors.n_samples, errors.both, errors.first, errors.second];
    let [n, both, first, second] = counts.map(i128::from);
    let spread = |wrong: i128| wrong * (n - wrong);
    if spread(first) == 0 || spread(second) == 0 {
        return None;
    }
    // Exact integers up to here, and the root of a square is exact: identical runs give 1.
    let covariance = (n * both - first * second) as f64;
    let deviations = (spread(first) as f64 * spread(second) as f64).sqrt();
    Some((covariance / deviations).clamp(-1.0, 1.0))
}
