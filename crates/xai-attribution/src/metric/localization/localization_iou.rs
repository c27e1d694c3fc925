//! The overlap of a thresholded map with the object.

use xai_core::describe::{Direction, Invariance, MetricInfo, Parameters, Range, Reading};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap};

/// How well does what the map marks cover the object?
///
/// ```text
/// IoU_i = |marked ∩ object| / |marked ∪ object|        marked: a_p ≥ threshold · max a
/// ```
///
/// In [0, 1], **higher is better**. No value for an empty mask and for a map without a positive
/// attribution.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::LocalizationIou};
/// let maps = array![[1.0, 0.6, 0.4, 0.0]];
/// let data = Data::of_maps(maps.view()).with(Masks::new(array![[[true, false, true, false]]]));
/// // Marked are the first two; one of them is on the object, three are one or the other.
/// assert_eq!(LocalizationIou::new().evaluate_on(data)?.value, 1.0 / 3.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Jaccard, *Étude comparative de la distribution florale*, 1901; thresholds relative to the largest
/// attribution as Zhou et al., *Learning Deep Features for Discriminative Localization*, 2016.
pub type LocalizationIou = MaskMetric<Overlap>;

/// The formula of [`LocalizationIou`].
#[derive(Debug, Clone, PartialEq, Parameters)]
#[params(of = LocalizationIou, at = formula)]
pub struct Overlap {
    /// From which share of the largest attribution on a position is marked.
    #[param(above = 0, at_most = 1, default = 0.5)]
    threshold: f64,
}

impl MaskFormula for Overlap {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "localization-iou",
        title: "Localization IoU",
        question: "How well does what the map marks cover the object?",
        direction: Direction::Higher,
        invariance: Invariance::SCALE_AND_MIRROR,
        range: Range::SHARE,
        needs: MASK_NEEDS,
        source: "Zhou et al., Learning Deep Features for Discriminative Localization, 2016",
        reading: Reading {
            formula: "|marked ∩ object| / |marked ∪ object|, marked: a ≥ threshold · max a",
            extremes: "0: what is marked lies beside the object. 1: it is the object.",
            limits: "The threshold decides, and one very large attribution leaves all others unmarked. Maps that show a part of the object, which may be all that the model needs, have low values.",
            peers: &[],
            example: Some(0.3929),
        },
    };

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
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
