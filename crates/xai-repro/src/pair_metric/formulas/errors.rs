//! Metrics of the errors that two runs have in common.

use crate::input;
use crate::pair_metric::chance::beyond_chance;
use crate::pair_metric::definition::{ErrorTable, PairDefinition, PairFormula, PairMetric};
use xai_core::describe::metric;

impl PairMetric {
    /// Share of the samples that both runs get wrong among those that either gets wrong.
    ///
    /// ```text
    /// |e_i ∧ e_j| / |e_i ∨ e_j|
    /// ```
    ///
    /// If neither run has an error, [`EmptyUnion`](crate::EmptyUnion) sets the value.
    ///
    /// # Extremes
    /// 0: no shared error. 1: the same errors.
    ///
    /// # Limits
    /// Accurate runs have few errors, and the value is then uncertain.
    ///
    /// # Source
    /// Jaccard index of the error sets.
    ///
    /// # Elsewhere
    /// `sklearn.metrics.jaccard_score`
    #[metric(
        name = "ec_local",
        title = "Local error consistency",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::LABELS],
    )]
    pub const EC_LOCAL: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Errors(|errors| {
            let union = errors.union();
            (union > 0).then(|| errors.both as f64 / union as f64)
        }),
        undefined_without_errors: true,
    });

    /// Share of all samples that both runs get wrong.
    ///
    /// ```text
    /// |e_i ∧ e_j| / n
    /// ```
    ///
    /// # Extremes
    /// 0: no shared error. The smaller error rate: one run repeats all errors of the other.
    ///
    /// # Limits
    /// It is limited by the error rates: accurate runs have few errors to share.
    ///
    /// # Source
    /// Share of the intersection of the error sets.
    #[metric(
        name = "ec_global",
        title = "Global error consistency",
        direction = Direction::None,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::LABELS],
    )]
    pub const EC_GLOBAL: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Errors(|errors| Some(errors.both as f64 / errors.n_samples as f64)),
        undefined_without_errors: false,
    });

    /// Share of samples that both runs get right or both get wrong.
    ///
    /// ```text
    /// mean(e_i = e_j)
    /// ```
    ///
    /// # Extremes
    /// 1: the same errors. 0: each run errs exactly where the other does not.
    ///
    /// # Limits
    /// Accurate runs agree by chance.
    ///
    /// # Source
    /// Percent agreement of the error vectors.
    #[metric(
        name = "ec_acc",
        title = "Agreement of errors",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::LABELS],
    )]
    pub const EC_ACC: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Errors(|errors| {
            Some(errors.n_equal() as f64 / errors.n_samples as f64)
        }),
        undefined_without_errors: false,
    });

    /// Correlation of the errors of both runs (φ).
    ///
    /// ```text
    /// φ = (n |e_i ∧ e_j| − |e_i| |e_j|) / √(|e_i| (n − |e_i|) |e_j| (n − |e_j|))
    /// ```
    ///
    /// Undefined where a run gets everything right or everything wrong.
    ///
    /// # Extremes
    /// 1: the same errors. 0: unrelated. −1: each run errs exactly where the other does not.
    ///
    /// # Source
    /// Pearson's φ of the error vectors.
    #[metric(
        name = "ec_corr",
        title = "Correlation of errors",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::LABELS],
    )]
    pub const EC_CORR: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Errors(correlation),
        undefined_without_errors: false,
    });

    /// Agreement of both runs on which samples are right, beyond chance (Cohen's κ).
    ///
    /// ```text
    /// (c_o − c_e) / (1 − c_e), c_o = mean(e_i = e_j), c_e = a_i a_j + (1 − a_i) (1 − a_j)
    /// ```
    ///
    /// `a_i` is the accuracy of run `i`. Undefined where both runs get everything right, or both get everything wrong;
    /// `modelvshuman` returns 1 there.
    ///
    /// # Extremes
    /// 1: the same errors. 0: as many common errors as independent runs of these accuracies, below 0 fewer. −1: each run
    /// errs exactly where the other does not, at an accuracy of ½.
    ///
    /// # Limits
    /// Runs of different accuracies cannot reach 1.
    ///
    /// # Source
    /// Geirhos et al., *Beyond accuracy: quantifying trial-by-trial behaviour of CNNs and humans by measuring error
    /// consistency*, 2020.
    ///
    /// # Elsewhere
    /// `modelvshuman.ErrorConsistency`
    #[metric(
        name = "ec_kappa",
        title = "Error consistency",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::LABELS],
    )]
    pub const EC_KAPPA: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Errors(|errors| {
            let counts = [errors.n_samples, errors.first, errors.second];
            let [n, first, second] = counts.map(i128::from);
            let by_chance = first * second + (n - first) * (n - second);
            beyond_chance(errors.n_samples, errors.n_equal(), by_chance)
        }),
        undefined_without_errors: false,
    });

    /// Matthews correlation of the errors of both runs; 0 where a run has constant errors.
    ///
    /// ```text
    /// φ as in ec_corr; 0 where a run has constant errors
    /// ```
    ///
    /// Equal to [`EC_CORR`](Self::EC_CORR) where that is defined, and 0 where a run gets everything right or everything
    /// wrong, as is the custom for this coefficient.
    ///
    /// # Extremes
    /// 1: the same errors. 0: unrelated. −1: each run errs exactly where the other does not.
    ///
    /// # Source
    /// Matthews 1975.
    ///
    /// # Elsewhere
    /// `sklearn.metrics.matthews_corrcoef`
    #[metric(
        name = "ec_matthews",
        title = "Matthews' correlation of errors",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::LABELS],
    )]
    pub const EC_MATTHEWS: Self = Self::new(&PairDefinition {
        info: INFO,
        formula: PairFormula::Errors(|errors| Some(correlation(errors).unwrap_or(0.0))),
        undefined_without_errors: false,
    });
}

/// Pearson's correlation of the errors, φ; `None` if a run is right on all samples or wrong on all.
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
    // All integers are exact up to here. Identical runs give exactly 1, because the square root of a square is exact.
    let covariance = (n * both - first * second) as f64;
    let deviations = (spread(first) as f64 * spread(second) as f64).sqrt();
    Some((covariance / deviations).clamp(-1.0, 1.0))
}
