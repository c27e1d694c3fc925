//! Ranking metrics of a map against the object: AUROC and average precision.

use xai_core::describe::{Parameters, metric};
use xai_core::statistics::{auroc, average_precision};

use crate::metric::{MASK_NEEDS, MaskedMap, TruthFormula, TruthMetric};

/// Probability that an attribution on the object exceeds one outside it (AUROC).
///
/// ```text
/// share of pairs of a position on the object and one outside it in which the former has the larger attribution, ties
/// counted as 1/2
/// ```
///
/// It is the area under the ROC curve of the attributions as scores of the object's positions, computed from mid-ranks.
/// In [0, 1], **higher is better**, 0.5 = as by chance. It is undefined for an empty mask and for one that covers the
/// whole map. `normalize` does not change the order within a map, but a constant map then has no value, and it matters
/// if samples are [pooled](TruthMetric::pooled).
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::LocalizationAuroc};
/// let maps = array![[0.9, 0.1, 0.4]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, true, false]]]));
/// assert_eq!(LocalizationAuroc::new().evaluate_on(data)?.value, 0.5); // one of two pairs
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: every attribution on the object is lower than all others. 0.5: as by chance. 1: every one is larger than all
/// others.
///
/// # Limits
/// For small objects the value is high as soon as most of the background is low; average precision is stricter. It
/// compares the map with the object, not with the features that the model uses.
///
/// # Source
/// Fawcett, *An introduction to ROC analysis*, 2006.
///
/// Quantus calls it AUC.
///
/// # Elsewhere
/// `quantus.AUC`, `tint.white_box.roc_auc`
#[metric(
    name = "localization-auroc",
    title = "Localization AUROC",
    describes = RocArea,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.7832,
)]
pub type LocalizationAuroc = TruthMetric<RocArea>;

/// The formula of [`LocalizationAuroc`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct RocArea;

// Ranks do not depend on the scale of a map, so maps are not normalized by default.
impl TruthFormula for RocArea {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        auroc(map.attributions, map.inside)
    }
}

/// Average precision of the attributions as scores of the object's positions.
///
/// ```text
/// Σ_t (R_t − R_{t−1}) P_t over the thresholds t between different attributions, P precision and R recall of the
/// positions above t
/// ```
///
/// The thresholds are the distinct attributions in descending order;
/// `P_t` and `R_t` are precision and recall of the positions at or above `t`. In (0, 1], **higher is
/// better**; a random map has about the object's share of the positions. For small objects it is stricter
/// than [`LocalizationAuroc`](crate::metric::LocalizationAuroc). It is undefined for an empty mask.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::LocalizationAveragePrecision};
/// let maps = array![[0.9, 0.4, 0.1]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, false, true]]]));
/// let value = LocalizationAveragePrecision::new().evaluate_on(data)?.value;
/// assert!((value - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-15);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// Near 0: the object has the lowest attributions. The object's share of the positions: a random map. 1: every
/// attribution on the object is larger than all others.
///
/// # Limits
/// The value of a random map depends on the size of the object, so that values of different objects are not comparable.
/// It compares the map with the object, not with the features that the model uses.
///
/// # Source
/// Manning et al., *Introduction to Information Retrieval*, 2008, section 8.4.
///
/// Equal to scikit-learn's `average_precision_score`.
///
/// # Elsewhere
/// `scikit-learn.average_precision_score`, `tint.white_box.auprc`
#[metric(
    name = "localization-average-precision",
    describes = AveragePrecision,
    direction = Direction::Higher,
    range = Range::above(0.0).up_to(1.0),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.8158,
)]
pub type LocalizationAveragePrecision = TruthMetric<AveragePrecision>;

/// The formula of [`LocalizationAveragePrecision`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct AveragePrecision;

impl TruthFormula for AveragePrecision {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        average_precision(map.attributions, map.inside)
    }
}
