//! Top-k intersection.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::metric::kinds::top_k::TopK;
use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Ties};

/// Share of the k largest attributions that lie on the object.
///
/// ```text
/// TKI_i = |top k positions ∩ object| / k        capped: / min(k, |object|)
/// ```
///
/// In [0, 1], **higher is better**. An object of fewer than `k` positions can reach at most `|object| / k`;
/// [`capped`](MaskMetric::capped) divides by the largest possible number of hits instead.
/// [`influence`](MaskMetric::influence) multiplies by `n_positions / |object|`, with which a random map has the value 1
/// and larger values are possible. If attributions are tied at the cut, the value is the mean over all orders of the
/// tied positions, and a map whose attributions are all equal has no value. With [`Ties::LowestIndex`], the positions
/// of lower index count, and such a map has a value too. The value is undefined for an empty mask.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::metric::{TopK, TopKIntersection};
/// use xai_attribution::Evaluate;
/// let maps = array![[0.9, 0.8, 0.1, 0.0]];
/// let data = || EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, false, false, false]]]));
/// let metric = TopKIntersection::new().k(TopK::Count(2));
/// assert_eq!(metric.evaluate_on(data())?.value, 0.5);
/// assert_eq!(metric.clone().capped(true).evaluate_on(data())?.value, 1.0);
/// assert_eq!(metric.influence(true).evaluate_on(data())?.value, 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no top position is on the object. 1: all of them are. The object's share of the positions: a random map.
///
/// # Limits
/// An object of fewer than k positions cannot reach 1 (unless `capped` is on). It compares the map with the object, not
/// with the features that the model uses.
///
/// # Source
/// Theiner et al., *Interpretable Semantic Photo Geolocation*, 2021.
///
/// Quantus uses 1 000 positions by default for maps of any size, and breaks ties by the lowest index
/// ([`Ties::LowestIndex`]).
///
/// # Elsewhere
/// `quantus.TopKIntersection`
#[metric(
    name = "top-k-intersection",
    title = "Top-k intersection",
    describes = Intersection,
    direction = Direction::Higher,
    range = Range::SHARE.when("(with influence: [0, inf))"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 1.0,
)]
pub type TopKIntersection = MaskMetric<Intersection>;

/// The formula of [`TopKIntersection`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
#[params(of = TopKIntersection, at = formula)]
pub struct Intersection {
    /// Number of positions in the top, or a share such as 0.1. Default: a tenth of them.
    k: TopK,
    /// Divides by the smaller of `k` and the size of the object, so that small objects can reach 1.
    capped: bool,
    /// Divides the share by the object's share of the positions, which is the value of a random map.
    influence: bool,
    /// Treatment of positions that are tied at the cut.
    ties: Ties,
}

impl MaskFormula for Intersection {
    fn check(&self, n_positions: usize) -> Result<()> {
        self.k.resolve(n_positions).map(drop)
    }

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        if self.ties == Ties::Expected && map.is_constant() {
            return None;
        }
        let k = self.k.resolve(map.inside.len()).ok()?;
        let reachable = if self.capped { k.min(map.n_inside) } else { k };
        let share = map.hits(k, self.ties).mean() / reachable as f64;
        Some(if self.influence {
            share * map.inside.len() as f64 / map.n_inside as f64
        } else {
            share
        })
    }
}
