//! Intra-consistency: changes of the values of one explainer after a perturbation.

use crate::describe::{Score, Scores, metric};
use crate::error::Result;
use crate::input;
use crate::reliability::perturbed::{PerturbationKind, PerturbedValues};
use crate::reliability::table::check_row;
use crate::statistics::{SignedRankTest, ZeroMethod, wilcoxon_signed_rank};
use crate::tensor::check_shape;

/// Result of [`intra_consistency`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct IntraConsistency {
    /// Strength of the perturbation.
    pub kind: PerturbationKind,
    /// p-value of the test, or one minus the p-value after a disruptive perturbation. `None` if no
    /// sample is used, or if a used sample has an undefined value before or after the perturbation.
    pub value: Option<f64>,
    /// Effect size of the test, or one minus the effect size after a minor perturbation. `None` if
    /// no used sample has both values.
    pub effect: Option<f64>,
    /// Signed-rank test of the differences of the used samples that have both values.
    pub test: SignedRankTest,
    /// Number of used samples without both values.
    pub n_undefined: usize,
}

/// Intra-consistency: the values of a metric should stay the same under a minor perturbation, and
/// change under a disruptive one.
///
/// ```text
/// d_i = q_i − q'_i over used samples      p = two-sided signed-rank test of d, zeros split between the sides
/// value:  minor p, disruptive 1 − p       effect: minor 1 − E, disruptive E,  E = |W⁺ − W⁻| / (W⁺ + W⁻)
/// ```
///
/// `values` has one value of one explainer per sample. Both numbers are in [0, 1], higher is
/// better. After a minor perturbation, an effect of 1 means equal rank sums of increases and
/// decreases, and a value of 1 that no signs would make them more equal. After a disruptive one, a
/// value of 1 means that the change is certain, and an effect of 1 that all values changed in the
/// same direction.
///
/// A p-value is not an effect size: the same shift is more significant for more samples. Compare
/// values only at equal numbers of samples. The effect does not depend on the number of samples.
///
/// # Errors
/// `ShapeMismatch` for `perturbed` or `keep` of another length, `NonFinite` for a value.
///
/// ```
/// use xai_core::reliability::{PerturbedValues, intra_consistency};
/// let before = [0.5, 0.6, 0.7].map(Some);
/// let after = [0.5, 0.4, 0.3].map(Some); // differences 0, 0.2, 0.4 have ranks 1, 2, 3
/// let minor = intra_consistency(&before, &PerturbedValues::minor(&after[..]))?;
/// assert_eq!(minor.value, Some(2.0 / 4.0)); // one of 2^2 signs of what moved, both sides
/// assert_eq!(minor.effect, Some(1.0 - 5.0 / 6.0)); // W⁺ = 5.5, W⁻ = 0.5
/// let disruptive = intra_consistency(&before, &PerturbedValues::disruptive(&after[..]))?;
/// assert_eq!((disruptive.value, disruptive.effect), (Some(0.5), Some(5.0 / 6.0)));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Hedström et al., *The Meta-Evaluation Problem in Explainable AI: Identifying Reliable Estimators
/// with MetaQuantus*, 2023, for the value; Kerby, *The simple difference formula: an approach to
/// teaching nonparametric correlation*, 2014, for the effect. MetaQuantus returns p = 0 if its test
/// fails; this function returns `None` or an error.
pub fn intra_consistency(
    values: &[Option<f64>],
    perturbed: &PerturbedValues<'_, [Option<f64>]>,
) -> Result<IntraConsistency> {
    check_row(input::VALUES, values)?;
    check_row(input::PERTURBED, perturbed.values)?;
    check_shape(input::PERTURBED, &[values.len()], &[perturbed.values.len()])?;
    intra_of_checked(values, perturbed)
}

/// [`intra_consistency`] of validated rows of equal length.
pub(super) fn intra_of_checked(
    values: &[Option<f64>],
    perturbed: &PerturbedValues<'_, [Option<f64>]>,
) -> Result<IntraConsistency> {
    let mut differences = Vec::new();
    let mut n_undefined = 0;
    for i in perturbed.used_samples(values.len())? {
        match values[i].zip(perturbed.values[i]) {
            Some((before, after)) => differences.push(before - after),
            None => n_undefined += 1,
        }
    }
    let test = wilcoxon_signed_rank(&differences, ZeroMethod::Split)?;
    let p_value = test.p_value.filter(|_| n_undefined == 0);
    let (value, effect) = match perturbed.kind {
        PerturbationKind::Minor => (p_value, test.effect().map(|effect| 1.0 - effect)),
        PerturbationKind::Disruptive => (p_value.map(|p| 1.0 - p), test.effect()),
    };
    Ok(IntraConsistency {
        kind: perturbed.kind,
        value,
        effect,
        test,
        n_undefined,
    })
}

impl IntraConsistency {
    /// p-value of the signed-rank test that a minor perturbation leaves an explainer's values
    /// unchanged (1 − p for a disruptive one).
    ///
    /// ```text
    /// minor p, disruptive 1 − p; p = two-sided signed-rank p-value of q − q', zeros split
    /// ```
    ///
    /// # Extremes
    /// Minor, 1: the rank sums of increases and decreases are as equal as possible. Disruptive, 1: the change is
    /// certain.
    ///
    /// # Limits
    /// A p-value is not an effect size: the same shift is more significant with more samples.
    /// Compare at equal numbers of samples.
    ///
    /// # Source
    /// Hedström et al. 2023.
    ///
    /// # Elsewhere
    /// `metaquantus.MetaEvaluation (IAC)`
    #[metric(
        name = "intra-consistency",
        title = "Intra-consistency",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::VALUES, input::PERTURBED, input::KEEP],
    )]
    pub const INTRA_CONSISTENCY: Score<Self> = Score::new(INFO, |result: &Self| result.value);

    /// Effect size of a disruptive perturbation on the values of an explainer (1 − effect size for
    /// a minor one).
    ///
    /// ```text
    /// disruptive E, minor 1 − E; E = |W⁺ − W⁻| / (W⁺ + W⁻) of the signed ranks of q − q'
    /// ```
    ///
    /// # Extremes
    /// Minor, 1: increases and decreases have equal rank sums. Disruptive, 1: all values changed in the same
    /// direction.
    ///
    /// # Limits
    /// It uses ranks, so it measures how one-sided the changes are, not how large they are.
    ///
    /// # Source
    /// Kerby 2014, of the test of Hedström et al. 2023.
    #[metric(
        name = "intra-consistency-effect",
        title = "Intra-consistency, effect",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::VALUES, input::PERTURBED, input::KEEP],
    )]
    pub const INTRA_CONSISTENCY_EFFECT: Score<Self> =
        Score::new(INFO, |result: &Self| result.effect);
}

impl Scores for IntraConsistency {
    const SCORES: &'static [Score<Self>] =
        &[Self::INTRA_CONSISTENCY, Self::INTRA_CONSISTENCY_EFFECT];
}
