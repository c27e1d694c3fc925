//! Inter-consistency: rankings of explainers after minor perturbations, and worse values after
//! disruptive ones.

use crate::describe::{Direction, Score, Scores, metric};
use crate::error::{Error, Result};
use crate::input;
use crate::reliability::perturbed::{PerturbationKind, PerturbedValues};
use crate::reliability::table::{Table, sign};
use crate::statistics::ranks::centred_ranks;

/// Result of [`inter_consistency`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct InterConsistency {
    /// Strength of the perturbation.
    pub kind: PerturbationKind,
    /// Share; `None` if nothing is compared.
    pub value: Option<f64>,
    /// Number of compared pairs of a sample and an explainer.
    pub n_pairs: usize,
    /// Number of pairs of used samples that are not compared because a value is undefined: after a
    /// minor perturbation, all pairs of the sample.
    pub n_undefined: usize,
}

/// Inter-consistency: the ranking of explainers should stay the same under a minor perturbation,
/// and values should get worse under a disruptive one.
///
/// ```text
/// minor:      share of (sample, explainer) whose rank among the explainers of that sample is unchanged
/// disruptive: share of (sample, explainer) whose value got strictly worse
/// ```
///
/// `values` and `perturbed` have one row per explainer with one value per sample. Ranks are
/// mid-ranks. `direction` is the better end of the metric; it matters for disruptive perturbations
/// only. In [0, 1], higher is better: 1 = no rank changed, or all values got worse. If a minor
/// perturbation ranks `E` explainers at random, the value is about 1/E.
///
/// # Errors
/// `Empty` without explainers, `ShapeMismatch` for rows of different lengths and for `perturbed` or
/// `keep` of another shape, `NonFinite` for a value, `InvalidParameter` for a disruptive
/// perturbation of a metric without a better end.
///
/// ```
/// use xai_core::Direction;
/// use xai_core::reliability::{PerturbedValues, inter_consistency};
/// let before = [[Some(1.0), Some(1.0)], [Some(2.0), Some(2.0)]];
/// let after = [[Some(1.5), Some(3.0)], [Some(2.0), Some(2.0)]]; // in the second sample they change places
/// let minor = inter_consistency(&before, Direction::Lower, &PerturbedValues::minor(&after[..]))?;
/// assert_eq!((minor.value, minor.n_pairs), (Some(0.5), 4));
/// let disruptive = inter_consistency(&before, Direction::Lower, &PerturbedValues::disruptive(&after[..]))?;
/// assert_eq!(disruptive.value, Some(0.5)); // the values of the first explainer rose
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Hedström et al., *The Meta-Evaluation Problem in Explainable AI: Identifying Reliable Estimators
/// with MetaQuantus*, 2023. Its program breaks ties of ranks by the order of the explainers, and
/// counts the values that fell for metrics of either direction.
pub fn inter_consistency<R: AsRef<[Option<f64>]>, P: AsRef<[Option<f64>]>>(
    values: &[R],
    direction: Direction,
    perturbed: &PerturbedValues<'_, [P]>,
) -> Result<InterConsistency> {
    let before = Table::new(input::VALUES, values)?;
    let after = Table::new(input::PERTURBED, perturbed.values)?;
    inter_of_checked(&before, direction, perturbed, &after)
}

/// [`inter_consistency`] of validated tables.
pub(super) fn inter_of_checked<P>(
    before: &Table<'_>,
    direction: Direction,
    perturbed: &PerturbedValues<'_, [P]>,
    after: &Table<'_>,
) -> Result<InterConsistency> {
    if before.shape() != after.shape() {
        return Err(Error::shape(
            input::PERTURBED,
            &before.shape(),
            &after.shape(),
        ));
    }
    let (mut n_pairs, mut n_undefined, mut hits) = (0, 0, 0);
    let used = perturbed.used_samples(before.n_samples)?;
    match perturbed.kind {
        PerturbationKind::Minor => {
            for i in used {
                // A rank depends on all explainers, so one undefined value excludes the sample.
                let Some((old, new)) = before.sample(i).zip(after.sample(i)) else {
                    n_undefined += before.rows.len();
                    continue;
                };
                let ranks = centred_ranks(&old).into_iter().zip(centred_ranks(&new));
                n_pairs += old.len();
                hits += ranks.filter(|(old, new)| old == new).count();
            }
        }
        PerturbationKind::Disruptive => {
            let better = sign(direction)?;
            for i in used {
                for (old, new) in before.rows.iter().zip(&after.rows) {
                    let Some((old, new)) = old[i].zip(new[i]) else {
                        n_undefined += 1;
                        continue;
                    };
                    n_pairs += 1;
                    hits += usize::from(better * old > better * new);
                }
            }
        }
    }
    Ok(InterConsistency {
        kind: perturbed.kind,
        value: (n_pairs > 0).then(|| hits as f64 / n_pairs as f64),
        n_pairs,
        n_undefined,
    })
}

impl InterConsistency {
    /// Share of values whose rank stays under a minor perturbation, or that get worse under a disruptive one.
    ///
    /// ```text
    /// share of (sample, explainer): minor [rank_i(q_e) = rank_i(q'_e)], disruptive [q'_e worse than q_e]
    /// ```
    ///
    /// # Extremes
    /// 1: every rank stayed, or every value got worse. Minor, 1/E: chance level for E explainers.
    ///
    /// # Limits
    /// With few explainers or many equal values, ranks often stay the same by chance.
    ///
    /// # Source
    /// Hedström et al. 2023.
    ///
    /// # Elsewhere
    /// `metaquantus.MetaEvaluation (IEC)`
    #[metric(
        name = "inter-consistency",
        title = "Inter-consistency",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[ input::VALUES, input::PERTURBED, input::KEEP, input::DIRECTION],
    )]
    pub const INTER_CONSISTENCY: Score<Self> = Score::new(INFO, |result: &Self| result.value);
}

impl Scores for InterConsistency {
    const SCORES: &'static [Score<Self>] = &[Self::INTER_CONSISTENCY];
}
