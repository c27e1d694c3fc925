//! The area under the ROC curve of a map against the object.

use xai_core::describe::{Direction, Invariance, MetricInfo, Parameters, Range, Reading};
use xai_core::statistics::{auroc, average_precision};

use crate::metric::{MASK_NEEDS, MaskedMap, TruthFormula, TruthMetric};

/// Are attributions on the object larger than beside it?
///
/// The share of pairs of a position of the object and one beside it in which the former has the
/// larger attribution, ties counting half: the area under the ROC curve, by mid-ranks. In [0, 1],
/// **higher is better**, 0.5 = as by chance. No value for an empty mask and for one that is full.
/// `normalize` does not change the order within a map: it matters where samples are [pooled](TruthMetric::pooled).
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::LocalizationAuroc};
/// let maps = array![[0.9, 0.1, 0.4]];
/// let data = Data::of_maps(maps.view()).with(Masks::new(array![[[true, true, false]]]));
/// assert_eq!(LocalizationAuroc::new().evaluate_on(data)?.value, 0.5); // one of two pairs
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Fawcett, *An introduction to ROC analysis*, 2006. Quantus calls it AUC.
pub type LocalizationAuroc = TruthMetric<RocArea>;

/// The formula of [`LocalizationAuroc`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct RocArea;

impl TruthFormula for RocArea {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "localization-auroc",
        title: "Localization AUROC",
        question: "Are attributions on the object larger than beside it?",
        direction: Direction::Higher,
        invariance: Invariance::SCALE_AND_MIRROR,
        range: Range::SHARE,
        needs: MASK_NEEDS,
        source: "Fawcett, An introduction to ROC analysis, 2006",
        reading: Reading {
            formula: "share of the pairs of a position of the object and one beside it of which the former has the larger attribution, ties by half",
            extremes: "0: every attribution on the object is lower. 0.5: as by chance. 1: every one is larger.",
            limits: "Small objects have high values as soon as most of the background is low: average precision asks more of them. It asks where the object is, not what the model uses.",
            peers: &["quantus.AUC", "tint.white_box.roc_auc"],
            example: Some(0.7832),
        },
    };

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        auroc(map.attributions, map.inside)
    }
}

/// How pure are the largest attributions, at every size of the object found?
///
/// `Σ_t (R_t − R_{t−1}) P_t` over the thresholds `t` between different attributions, descending;
/// `P_t` and `R_t` are precision and recall of the positions at or above it. In (0, 1], **higher is
/// better**; a random map has about the object's share of the positions. It asks more of small
/// objects than [`LocalizationAuroc`](crate::metric::LocalizationAuroc). No value for an empty mask.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::LocalizationAveragePrecision};
/// let maps = array![[0.9, 0.4, 0.1]];
/// let data = Data::of_maps(maps.view()).with(Masks::new(array![[[true, false, true]]]));
/// let value = LocalizationAveragePrecision::new().evaluate_on(data)?.value;
/// assert!((value - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-15);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Manning et al., *Introduction to Information Retrieval*, 2008, section 8.4; equal to
/// scikit-learn's `average_precision_score`.
pub type LocalizationAveragePrecision = TruthMetric<AveragePrecision>;

/// The formula of [`LocalizationAveragePrecision`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct AveragePrecision;

impl TruthFormula for AveragePrecision {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "localization-average-precision",
        title: "Localization average precision",
        question: "How pure are the largest attributions, at every size of the object found?",
        direction: Direction::Higher,
        invariance: Invariance::SCALE_AND_MIRROR,
        range: Range::above(0.0).up_to(1.0),
        needs: MASK_NEEDS,
        source: "Manning et al., Introduction to Information Retrieval, 2008",
        reading: Reading {
            formula: "Σ_t (R_t − R_{t−1}) P_t over the thresholds t between different attributions, P precision and R recall of the positions above t",
            extremes: "Near 0: the object has the lowest attributions. The share of the object: what a random map has. 1: every attribution on the object is larger than all others.",
            limits: "The value of a random map differs from object to object, and so do the values. It asks where the object is, not what the model uses.",
            peers: &[
                "scikit-learn.average_precision_score",
                "tint.white_box.auprc",
            ],
            example: Some(0.8158),
        },
    };

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        average_precision(map.attributions, map.inside)
    }
}
