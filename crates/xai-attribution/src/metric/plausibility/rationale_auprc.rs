//! The area under precision and recall of a map against a rationale.

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::statistics::{average_precision, thresholds};

use crate::metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap};

/// Rule for the area under a precision-recall curve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "area")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Area {
    /// The sum of the precisions, each times the share of the rationale that it adds.
    #[default]
    AveragePrecision,
    /// Trapezoids from recall 0 and precision 1 on, as ERASER and ferret have them: maps that say nothing have more than
    /// the share of the rationale.
    Trapezoid,
}

impl Area {
    fn value(self, attributions: &[f64], inside: &[bool], n_inside: usize) -> Option<f64> {
        if self == Self::AveragePrecision {
            return average_precision(attributions, inside);
        }
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
/// `Σ_t (R_t − R_{t−1}) P_t` over the thresholds `t` between different attributions, descending; `P_t` and `R_t` are
/// precision and recall of the tokens at or above it. In (0, 1], **higher is better**; a map that says nothing has the share of
/// the rationale. No value for an empty rationale.
///
/// ```
/// use xai_attribution::metric::{Area, RationaleAuprc};
/// let (maps, rationales) = ([[0.5, 0.1, 0.9]], [[true, false, false]]);
/// let of = |area| RationaleAuprc::new().area(area).evaluate_ragged(&maps, &rationales);
/// assert_eq!(of(Area::AveragePrecision)?.value, 0.5);
/// // From (0, 1) down to (0, 0), up to (1, 1/2).
/// assert_eq!(of(Area::Trapezoid)?.value, 0.25);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Texts of different lengths: [`evaluate_ragged`](MaskMetric::evaluate_ragged).
///
/// # Extremes
/// Near 0: the rationale has the lowest attributions. The share of the rationale: what a random map has. 1: every
/// attribution on the rationale is larger than all others.
///
/// # Limits
/// It asks whether people find the map plausible, not whether the model uses what it marks. The value of a random map
/// differs from text to text.
///
/// # Source
/// DeYoung et al., *ERASER*, 2020.
///
/// ERASER takes [trapezoids](Area::Trapezoid), ferret of positive attributions only:
/// [`positive_only`](MaskMetric::positive_only).
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
