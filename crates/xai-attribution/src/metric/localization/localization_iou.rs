//! Overlap of a thresholded map with the object.

use xai_core::describe::{Parameters, metric};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap};

/// Intersection over union of the positions that the map marks and the object.
///
/// ```text
/// |marked ∩ object| / |marked ∪ object|, marked: a ≥ threshold · max a
/// ```
///
/// In [0, 1], **higher is better**. No value for an empty mask and for a map without a positive
/// attribution.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::LocalizationIou};
/// let maps = array![[1.0, 0.6, 0.4, 0.0]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, false, true, false]]]));
/// // The first two positions are marked; one of them is on the object, and three are marked or on the object.
/// assert_eq!(LocalizationIou::new().evaluate_on(data)?.value, 1.0 / 3.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no marked position is on the object. 1: the marked positions are the object.
///
/// # Limits
/// It depends on the threshold, and one very large attribution leaves all others unmarked. Maps of a part of the
/// object, which may be all that the model needs, have low values.
///
/// # Source
/// Jaccard, *Étude comparative de la distribution florale*, 1901; thresholds relative to the largest attribution: Zhou
/// et al., *Learning Deep Features for Discriminative Localization*, 2016.
#[metric(
    name = "localization-iou",
    title = "Localization IoU",
    describes = Overlap,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.3929,
)]
pub type LocalizationIou = MaskMetric<Overlap>;

/// The formula of [`LocalizationIou`].
#[derive(Debug, Clone, PartialEq, Parameters)]
#[params(of = LocalizationIou, at = formula)]
pub struct Overlap {
    /// Share of the largest attribution from which positions are marked.
    #[param(above = 0, at_most = 1, default = 0.5)]
    threshold: f64,
}

impl MaskFormula for Overlap {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        // A share of a negative maximum would mark nothing, and of 0 everything that is not negative.
        let largest = map.attributions.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return None;
        }
        let (mut both, mut either) = (0usize, 0usize);
        for (&a, &inside) in map.attributions.iter().zip(map.inside) {
            let marked = a >= self.threshold * largest;
            both += usize::from(marked && inside);
            either += usize::from(marked || inside);
        }
        Some(both as f64 / either as f64)
    }
}
