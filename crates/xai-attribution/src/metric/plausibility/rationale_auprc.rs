//! Area under the precision-recall curve of a map against a rationale.

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::statistics::{average_precision, thresholds};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap};

/// Rule for the area under a precision-recall curve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "area")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Area {
    /// Average precision: the sum of the precisions, weighted by the increase of recall.
    #[default]
    AveragePrecision,
    /// Trapezoids starting at recall 0 and precision 1, as in ERASER and ferret. A constant map then has more than the
    /// rationale's share of the tokens.
    Trapezoid,
}

impl Area {
    fn value(self, attributions: &[f64], inside: &[bool], n_inside: usize) -> Option<f64> {
        if self == Self::AveragePrecision {
            return average_precision(attributions, inside);
        }
        // From the largest threshold down, recall rises from 0. The precision at recall 0 is undefined; 1 is the
        // convention of scikit-learn's curve, which ERASER and ferret use.
        let (mut area, mut before) = (0.0, (0.0, 1.0));
        for point in thresholds(attributions, inside).iter().rev() {
            let (recall, precision) = (point.n_second as f64 / n_inside as f64, point.precision());
            area += (recall - before.0) * (precision + before.1) / 2.0;
            before = (recall, precision);
        }
        Some(area)
    }
}

/// Average precision of the attributions as scores of the rationale's tokens.
///
/// ```text
/// Σ_t (R_t − R_{t−1}) P_t over the thresholds t between different attributions, P precision and R recall of the
/// tokens above t
/// ```
///
/// The thresholds are the distinct attributions in descending order; `P_t` and `R_t` are precision and recall of the
/// tokens at or above `t`. In (0, 1], **higher is better**; a constant map has the rationale's share of the tokens. It
/// is undefined for an empty rationale.
///
/// ```
/// use xai_attribution::metric::{Area, RationaleAuprc};
/// let (maps, rationales) = ([[0.5, 0.1, 0.9]], [[true, false, false]]);
/// let evaluate = |area| RationaleAuprc::new().area(area).evaluate_ragged(&maps, &rationales);
/// assert_eq!(evaluate(Area::AveragePrecision)?.value, 0.5);
/// // The curve goes from recall 0 and precision 1 to (0, 0) and (1, 1/2).
/// assert_eq!(evaluate(Area::Trapezoid)?.value, 0.25);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Texts of different lengths: [`evaluate_ragged`](MaskMetric::evaluate_ragged).
///
/// # Extremes
/// Near 0: the rationale has the lowest attributions. The rationale's share of the tokens: a random map. 1: every
/// attribution on the rationale is larger than all others.
///
/// # Limits
/// It measures whether people find the map plausible, not whether the model uses the marked tokens. The value of a
/// random map differs from text to text.
///
/// # Source
/// DeYoung et al., *ERASER*, 2020.
///
/// ERASER uses [trapezoids](Area::Trapezoid); ferret does too, with negative attributions set to 0
/// ([`positive_only`](MaskMetric::positive_only)).
///
/// # Elsewhere
/// `ferret.AUPRC_PlausibilityEvaluation`, `ERASER.auprc`
#[metric(
    name = "rationale-auprc",
    title = "Rationale AUPRC",
    describes = RationalePrecision,
    direction = Direction::Higher,
    range = Range::above(0.0).up_to(1.0),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.8158,
)]
pub type RationaleAuprc = MaskMetric<RationalePrecision>;

/// The formula of [`RationaleAuprc`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = RationaleAuprc, at = formula)]
pub struct RationalePrecision {
    /// Rule for the area: average precision, or trapezoids.
    area: Area,
    /// Counts negative attributions as 0.
    positive_only: bool,
}

impl MaskFormula for RationalePrecision {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        if !self.positive_only {
            return self.area.value(map.attributions, map.inside, map.n_inside);
        }
        let positive: Vec<f64> = map.attributions.iter().map(|a| a.max(0.0)).collect();
        self.area.value(&positive, map.inside, map.n_inside)
    }
}
