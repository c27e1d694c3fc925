//! Relevance rank accuracy.

use xai_core::describe::{Parameters, metric};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Ties};

/// Share of the object's positions among as many of the largest attributions.
///
/// ```text
/// |top m positions ∩ object| / m, m = |object|
/// ```
///
/// In [0, 1], **higher is better**: precision and recall of the top `m` positions, which are equal
/// there. A random map has the object's share of the positions. If attributions are tied at the cut, the value is the mean over
/// all orders of the tied positions, unless [`ties`](MaskMetric::ties) says otherwise. An empty mask has no value, nor has a
/// map whose attributions are all equal.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::RelevanceRankAccuracy};
/// let maps = array![[0.9, 0.1, 0.8, 0.7]];
/// let data = Data::from_maps(maps.view()).with(Masks::new(array![[[true, true, false, false]]]));
/// assert_eq!(RelevanceRankAccuracy::new().evaluate_on(data)?.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: none of the top lies on the object. 1: the top is the object. The share of the object: what a random map has.
///
/// # Limits
/// It counts ranks: how much larger the attributions on the object are does not matter. It asks where the object is, not
/// what the model uses.
///
/// # Source
/// Arras, Osman, Samek, *CLEVR-XAI*, 2022.
///
/// Quantus takes tied positions of the lowest index ([`Ties::LowestIndex`]).
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
