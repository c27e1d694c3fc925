//! Relevance mass accuracy.

use xai_core::describe::{Parameters, metric};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Relevance};

/// Share of the relevance that lies on the object.
///
/// ```text
/// Σ_{p in object} r_p / Σ_p r_p, r the positive part of the attributions
/// ```
///
/// `r` is the [`Relevance`], by default the positive part of the attributions, with which the metric is
/// the energy-based pointing game. In [0, 1], **higher is better**; with
/// [`Relevance::Signed`] the value can be outside that range. It is undefined for an empty mask and for a map without
/// relevance.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::metric::{Relevance, RelevanceMassAccuracy};
/// use xai_attribution::Evaluate;
/// let maps = array![[3.0, 1.0, -1.0]];
/// let data = || EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, false, false]]]));
/// assert_eq!(RelevanceMassAccuracy::new().evaluate_on(data())?.value, 0.75);
/// let signed = RelevanceMassAccuracy::new().relevance(Relevance::Signed);
/// assert_eq!(signed.evaluate_on(data())?.value, 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no relevance is on the object. 1: all of it is. The object's share of the positions: a constant map.
///
/// # Limits
/// Large objects have high values by chance. It compares the map with the object, not with the features that the model
/// uses.
///
/// # Source
/// Arras, Osman, Samek, *CLEVR-XAI*, 2022; Wang et al., *Score-CAM*, 2020, for the positive part.
///
/// Quantus sums signed attributions ([`Relevance::Signed`]).
///
/// # Elsewhere
/// `quantus.RelevanceMassAccuracy`
#[metric(
    name = "relevance-mass-accuracy",
    describes = MassAccuracy,
    direction = Direction::Higher,
    range = Range::SHARE.when("(signed: any number)"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.7172,
)]
pub type RelevanceMassAccuracy = MaskMetric<MassAccuracy>;

/// The formula of [`RelevanceMassAccuracy`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
#[params(of = RelevanceMassAccuracy, at = formula)]
pub struct MassAccuracy {
    /// Function of an attribution that counts as relevance. Default: the positive part.
    relevance: Relevance,
}

impl MaskFormula for MassAccuracy {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        self.relevance.share_inside(map)
    }
}
