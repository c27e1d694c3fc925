//! The average precision of a map as a search for the object.

use xai_core::describe::{Direction, MetricInfo, Parameters, Range};
use xai_core::statistics::average_precision;

use crate::metric::kinds::mask_metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap};

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
pub type LocalizationAveragePrecision = MaskMetric<AveragePrecision>;

/// The formula of [`LocalizationAveragePrecision`].
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct AveragePrecision;

impl MaskFormula for AveragePrecision {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "localization-average-precision",
        title: "Localization average precision",
        question: "How pure are the largest attributions, at every size of the object found?",
        direction: Direction::Higher,
        range: Range::above(0.0).up_to(1.0),
        needs: MASK_NEEDS,
        source: "Manning et al., Introduction to Information Retrieval, 2008",
    };

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        average_precision(map.attributions, map.inside)
    }
}
