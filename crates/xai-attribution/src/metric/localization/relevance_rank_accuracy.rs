//! Relevance rank accuracy.

use xai_core::describe::{Parameters, metric};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Ties};

/// Share of the m largest attributions that are on the object, m the size of the object.
///
/// ```text
/// |top m positions ∩ object| / m, m = |object|
/// ```
///
/// In [0, 1], **higher is better**. It is both precision and recall of the top `m` positions, because as many are
/// marked as are true. A random map has the object's share of the positions. If attributions are tied at the cut, the
/// value is the mean over all orders of the tied positions, and undefined for a map whose attributions are all equal,
/// unless [`ties`](MaskMetric::ties) says otherwise. It is undefined for an empty mask.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::RelevanceRankAccuracy};
/// let maps = array![[0.9, 0.1, 0.8, 0.7]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, true, false, false]]]));
/// assert_eq!(RelevanceRankAccuracy::new().evaluate_on(data)?.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no top position is on the object. 1: the top is the object. The object's share of the positions: a random map.
///
/// # Limits
/// It uses ranks only: how much larger the attributions on the object are does not matter. It compares the map with the
/// object, not with the features that the model uses.
///
/// # Source
/// Arras, Osman, Samek, *CLEVR-XAI*, 2022.
///
/// Quantus breaks ties by the lowest index ([`Ties::LowestIndex`]).
///
/// # Elsewhere
/// `quantus.RelevanceRankAccuracy`
#[metric(
    name = "relevance-rank-accuracy",
    describes = RankAccuracy,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.7321,
)]
pub type RelevanceRankAccuracy = MaskMetric<RankAccuracy>;

/// The formula of [`RelevanceRankAccuracy`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
#[params(of = RelevanceRankAccuracy, at = formula)]
pub struct RankAccuracy {
    /// Treatment of positions that are tied at the cut.
    ties: Ties,
}

impl MaskFormula for RankAccuracy {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        let is_ranked = self.ties == Ties::LowestIndex || !map.is_constant();
        is_ranked.then(|| map.hits(map.n_inside, self.ties).mean() / map.n_inside as f64)
    }
}
