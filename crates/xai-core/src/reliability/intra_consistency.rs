//! Whether the values of one explainer stay or move with a perturbation.

use crate::describe::{Score, Scores, metric};
use crate::error::Result;
use crate::input;
use crate::reliability::perturbed::{PerturbationKind, PerturbedValues};
use crate::reliability::table::check_row;
use crate::statistics::{SignedRankTest, ZeroMethod, wilcoxon_signed_rank};
use crate::tensor::check_shape;

/// The result of [`intra_consistency`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IntraConsistency {
    /// How much was perturbed.
    pub kind: PerturbationKind,
    /// The p-value of the test, or 1 less it after a disruptive perturbation; `None` where no sample is kept, and
    /// where one that is kept has a value on one side only or on none.
    pub value: Option<f64>,
    /// How one-sided the differences are, or 1 less it after a minor perturbation; `None` where no kept sample has
    /// both values.
    pub effect: Option<f64>,
    /// Of the differences of the kept samples that have both values.
    pub test: SignedRankTest,
    /// Kept samples without both values.
    pub n_undefined: usize,
}

/// Do the values of a metric stay under a minor perturbation, and move under a disruptive one?
///
/// ```text
/// d_i = q_i − q'_i over kept samples      p = two-sided signed-rank test of d, zeros split between the sides
/// value:  minor p, disruptive 1 − p       effect: minor 1 − E, disruptive E,  E = |W⁺ − W⁻| / (W⁺ + W⁻)
/// ```
///
/// `values` are those of one explainer on all samples. Both numbers are in [0, 1], higher is better. 1 = as
/// many ranks on either side (minor), or certainly not (disruptive, of the effect: all values moved to one side).
///
/// The p-value is no size: the same shift is more certain the more samples there are, so the value compares only at an
/// equal number of samples. The effect does not depend on it.
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
/// Hedström et al., *The Meta-Evaluation Problem in Explainable AI: Identifying Reliable Estimators with
/// MetaQuantus*, 2023, for the value; Kerby, *The simple difference formula: an approach to teaching nonparametric
/// correlation*, 2014, for the effect. Its program answers p = 0 where its test fails; this is `None` or an error here.
pub fn intra_consistency(
    values: &[Option<f64>],
    perturbed: &PerturbedValues<'_, [Option<f64>]>,
) -> Result<IntraConsistency> {
    check_row(input::VALUES, values)?;
    check_row(input::PERTURBED, perturbed.values)?;
    check_shape(input::PERTURBED, &[values.len()], &[perturbed.values.len()])?;
    intra_of_checked(values, perturbed)
}

/// [`intra_consistency`] of rows of one length.
pub(super) fn intra_of_checked(
    values: &[Option<f64>],
    perturbed: &PerturbedValues<'_, [Option<f64>]>,
) -> Result<IntraConsistency> {
    let mut differences = Vec::new();
    let mut n_undefined = 0;
    for i in perturbed.kept(values.len())? {
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
    /// p-value of the signed-rank test that a minor perturbation leaves an explainer's values unchanged (1 − p for a disruptive one).
    ///
    /// ```text
    /// minor p, disruptive 1 − p; p = two-sided signed-rank p-value of q − q', zeros split
    /// ```
    ///
    /// # Extremes
    /// Minor, 1: as many ranks up as down. Disruptive, 1: the values certainly moved.
    ///
    /// # Limits
    /// A p-value is no size: the same shift is more certain with more samples. Compare at equal numbers.
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

    /// Effect size of a disruptive perturbation on the values of an explainer (1 − effect size for a minor one).
    ///
    /// ```text
    /// disruptive E, minor 1 − E; E = |W⁺ − W⁻| / (W⁺ + W⁻) of the signed ranks of q − q'
    /// ```
    ///
    /// # Extremes
    /// Minor, 1: as many ranks up as down. Disruptive, 1: every value moved to the same side.
    ///
    /// # Limits
    /// Of ranks: it does not tell how far the values moved, only how much more to one side.
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
