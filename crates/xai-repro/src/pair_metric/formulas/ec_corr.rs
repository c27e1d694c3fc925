//! How errors of two runs are correlated.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::pair_metric::counts::ErrorTable;
use crate::pair_metric::definition::{PairDefinition, PairFormula, PairMetric};

impl PairMetric {
    /// Correlation of errors: Pearson's, which is φ, in [−1, 1]. 1 = the same errors, 0 = unrelated, −1 =
    /// each errs exactly where the other does not. Undefined where a run gets everything right or
    /// everything wrong.
    pub const EC_CORR: Self = Self::new(&PairDefinition {
        info: MetricInfo {
            name: "ec_corr",
            title: "Correlation of errors",
            question: "Are the errors of both runs correlated?",
            direction: Direction::Higher,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "Pearson's φ of the error vectors",
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
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS, input::LABELS],
            source: "Matthews 1975",
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
