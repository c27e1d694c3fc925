//! Attribution localization.

use xai_core::describe::{Parameters, metric};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Relevance};

/// Share of the relevance that lies within the object, optionally weighted by the object's size.
///
/// ```text
/// μ_i = R_in / R_tot        weighted: μ_w,i = μ_i · S_tot / S_in
/// ```
///
/// `R` is the sum of the [`Relevance`] (by default the positive part of the attributions) over the object and over all
/// positions, `S` the number of positions. μ is in [0, 1], **higher is better**. The weighted value is 1 for a map with
/// the same relevance everywhere, whatever the size of the object, and at most `S_tot / S_in`. With
/// [`Relevance::Signed`] both can be outside these ranges. Both are undefined for samples whose object covers a larger
/// share of the positions than [`max_size`](MaskMetric::max_size), for maps whose total relevance is 0, and for empty
/// masks.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::AttributionLocalization};
/// let maps = array![[3.0, 1.0, -9.0, 0.0]];
/// let data = || EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, false, true, false]]]));
/// let localization = AttributionLocalization::new();
/// assert_eq!(localization.evaluate_on(data())?.value, 0.75);
/// assert_eq!(localization.weighted(true).evaluate_on(data())?.value, 1.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no relevance is on the object. 1: all of it is. The object's share of the positions: a constant map.
///
/// # Limits
/// It compares the map with the object, not with the features that the model uses: for a model that uses the
/// background, a faithful map has a low value.
///
/// # Source
/// Kohlbrenner et al., *Towards Best Practice in Explaining Neural Network Decisions with LRP*, 2020.
///
/// Quantus divides by the relevance plus 1e-9, and its weight is the inverse of the paper's.
///
/// # Elsewhere
/// `quantus.AttributionLocalisation`
#[metric(
    name = "attribution-localization",
    describes = Localization,
    direction = Direction::Higher,
    range = Range::SHARE.when("(weighted: [0, inf))"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.7172,
)]
pub type AttributionLocalization = MaskMetric<Localization>;

/// The formula of [`AttributionLocalization`].
#[derive(Debug, Clone, PartialEq, Parameters)]
#[params(of = AttributionLocalization, at = formula)]
pub struct Localization {
    /// Function of an attribution that counts as relevance.
    relevance: Relevance,
    /// Divides the share by that of the object's positions: a large object is easier to hit.
    weighted: bool,
    /// Largest share of the positions that an object may cover. Samples with larger objects have no value.
    #[param(above = 0, at_most = 1, default = 1.0)]
    max_size: f64,
}

impl MaskFormula for Localization {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        let size = map.n_inside as f64 / map.inside.len() as f64;
        if size > self.max_size {
            return None;
        }
        let share = self.relevance.share_inside(map)?;
        Some(if self.weighted { share / size } else { share })
    }
}
