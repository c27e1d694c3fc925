//! Agreement of the whole rankings of a map and its reference.

use crate::metric::map_agreement::{AgreementOptions, pairwise_ranks, rank_correlation};
use crate::metric::{AgreementFormula, REFERENCE_NEEDS, ReferenceMetric};
use xai_core::describe::metric;

/// Rank correlation of the attributions of a map and of its reference.
///
/// ```text
/// Pearson correlation of the ranks of |map| and |reference|
/// ```
///
/// In [−1, 1], **higher is better** if the reference is the truth. Attributions of equal magnitude share the mean of
/// their ranks ([`RankTies`](crate::metric::RankTies)). It is undefined if all attributions of one map have the same
/// magnitude. The reference is [`ReferenceMaps`](crate::side::ReferenceMaps); no model is needed.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::ReferenceMaps};
/// use xai_attribution::{Evaluate, metric::RankCorrelation};
/// let maps = array![[3.0, -2.0, 1.0], [1.0, 2.0, 3.0]];
/// let one = ReferenceMaps::new(array![[6.0, 5.0, 4.0]]);
/// let value = RankCorrelation::new().evaluate_on(EvaluationData::from_maps(maps.view()).with(one))?;
/// assert_eq!(value.per_sample, [Some(1.0), Some(-1.0)]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// −1: the orders are opposite. 0: there is no relation. 1: the orders are the same.
///
/// # Limits
/// All ranks have equal weight, so that many unimportant features outweigh the few important ones. It measures
/// faithfulness only if the reference is the truth.
///
/// # Source
/// Krishna et al., *The Disagreement Problem in Explainable Machine Learning*, 2022.
///
/// OpenXAI (Agarwal et al., 2022) correlates dense ranks: [`RankTies::Dense`](crate::metric::RankTies::Dense).
///
/// # Elsewhere
/// `openxai.RC`
#[metric(
    name = "rank-correlation",
    describes = CorrelationOfRanks,
    direction = Direction::Higher,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = REFERENCE_NEEDS,
    example = 0.5892,
)]
pub type RankCorrelation = ReferenceMetric<CorrelationOfRanks>;

/// The formula of [`RankCorrelation`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CorrelationOfRanks;

impl AgreementFormula for CorrelationOfRanks {
    const COMPARES_RANKINGS: bool = true;

    fn value(&self, map: &[f64], reference: &[f64], options: &AgreementOptions) -> Option<f64> {
        rank_correlation(map, reference, options.rank_ties)
    }
}

/// Share of the pairs of features that the map and its reference rank in the same order.
///
/// ```text
/// share of the pairs of features that |map| and |reference| have in the same order
/// ```
///
/// Features are ordered by magnitude. In [0, 1], **higher is better** if the reference is the truth. A tie agrees
/// with a tie ([`RankTies`](crate::metric::RankTies)). It is undefined for a single feature. The reference is
/// [`ReferenceMaps`](crate::side::ReferenceMaps); no model is needed.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::ReferenceMaps};
/// use xai_attribution::{Evaluate, metric::PairwiseRankAgreement};
/// let maps = array![[3.0, -2.0, 1.0], [2.0, 3.0, 1.0]];
/// let one = ReferenceMaps::new(array![[6.0, 5.0, 4.0]]);
/// let value = PairwiseRankAgreement::new().evaluate_on(EvaluationData::from_maps(maps.view()).with(one))?;
/// assert_eq!(value.per_sample, [Some(1.0), Some(2.0 / 3.0)]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: every pair has the reverse order. 0.5: as by chance. 1: every pair has the same order.
///
/// # Limits
/// Pairs of unimportant features count as much as others. It measures faithfulness only if the reference is the truth.
///
/// # Source
/// Krishna et al., *The Disagreement Problem in Explainable Machine Learning*, 2022.
///
/// In OpenXAI (Agarwal et al., 2022), a tie counts as if the later feature were the larger one:
/// [`RankTies::Dense`](crate::metric::RankTies::Dense), which compares all pairs and takes time quadratic in the
/// number of features.
///
/// # Elsewhere
/// `openxai.PRA`
#[metric(
    name = "pairwise-rank-agreement",
    describes = PairsInOrder,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = REFERENCE_NEEDS,
    example = 0.7208,
)]
pub type PairwiseRankAgreement = ReferenceMetric<PairsInOrder>;

/// The formula of [`PairwiseRankAgreement`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairsInOrder;

impl AgreementFormula for PairsInOrder {
    const COMPARES_RANKINGS: bool = true;

    fn value(&self, map: &[f64], reference: &[f64], options: &AgreementOptions) -> Option<f64> {
        pairwise_ranks(map, reference, options.rank_ties)
    }
}
