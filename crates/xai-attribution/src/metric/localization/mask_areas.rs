//! The areas under precision and under recall of a mask, over its thresholds.

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::statistics::{ThresholdPoint, thresholds};

use crate::metric::{MASK_NEEDS, MaskedMap, TruthFormula, TruthMetric};

/// Rule for the area under a curve over thresholds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "rule")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum AreaRule {
    /// The area under the steps that the curve has, from 0 on.
    #[default]
    Exact,
    /// Trapezoids between the different attributions, from the smallest one on, as `time_interpret` has them.
    Trapezoid,
}

impl AreaRule {
    /// The area under a number of each threshold of a map in [0, 1].
    fn area(self, map: &MaskedMap<'_>, of: impl Fn(&ThresholdPoint) -> f64) -> Option<f64> {
        if map.n_inside == 0 {
            return None;
        }
        let points = thresholds(map.attributions, map.inside);
        Some(match self {
            Self::Exact => {
                // A threshold of 0 is no threshold: it adds nothing.
                let below = std::iter::once(0.0).chain(points.iter().map(|point| point.value));
                let steps = points.iter().zip(below);
                steps
                    .map(|(point, below)| (point.value - below) * of(point))
                    .sum()
            }
            Self::Trapezoid => {
                let trapezoid = |pair: &[ThresholdPoint]| {
                    (pair[1].value - pair[0].value) * (of(&pair[0]) + of(&pair[1])) / 2.0
                };
                points.windows(2).map(trapezoid).sum()
            }
        })
    }
}

/// Precision of a mask, averaged over all thresholds.
///
/// ```text
/// ∫ |marked ∩ object| / |marked| du over u in (0, 1], marked: a ≥ u, a the map scaled to [0, 1]
/// ```
///
/// Maps are scaled to [0, 1] by their smallest and largest attribution, unless `normalize` is off: they then have to be
/// in [0, 1]. In [0, 1], **higher is better**: 1 = all that is marked is true at every threshold. No value for a sample
/// without a true position, and for a constant map that is to be scaled.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::AreaUnderPrecision};
/// let maps = array![[4.0, 2.0, 0.0]];
/// let data = Data::from_maps(maps.view()).with(Masks::new(array![[[false, true, false]]]));
/// // Up to 0.5 both positions are marked, above it the first alone.
/// assert_eq!(AreaUnderPrecision::new().evaluate_on(data)?.value, 0.5 * 0.5 + 0.5 * 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: what is marked is never true. The share of true positions: what a map has whose scaled attributions are 0 or 1 by
/// chance. 1: all that is marked is true at every threshold.
///
/// # Limits
/// A map that marks one true position and nothing else has 1: read it with the area under recall. It asks where the truth
/// is, not what the model uses.
///
/// # Source
/// Crabbé and van der Schaar, *Explaining Time Series Predictions with Dynamic Masks*, 2021.
///
/// Their code and `time_interpret` take trapezoids between the attributions, so that the truth itself has (1 + its share)
/// / 2: [`AreaRule::Trapezoid`] and [`pooled`](TruthMetric::pooled) give that number.
///
/// # Elsewhere
/// `tint.white_box.aup`
#[metric(
    name = "area-under-precision",
    describes = PrecisionArea,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.8573,
)]
pub type AreaUnderPrecision = TruthMetric<PrecisionArea>;

/// The formula of [`AreaUnderPrecision`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = AreaUnderPrecision, at = formula)]
pub struct PrecisionArea {
    /// Rule for the area: steps of the curve, or trapezoids.
    rule: AreaRule,
}

impl TruthFormula for PrecisionArea {
    const NORMALIZED: bool = true;
    const REQUIRES_UNIT_RANGE: bool = true;

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        self.rule.area(map, ThresholdPoint::precision)
    }
}

/// Recall of a mask, averaged over all thresholds.
///
/// ```text
/// ∫ |marked ∩ object| / |object| du over u in (0, 1], marked: a ≥ u, a the map scaled to [0, 1]
/// ```
///
/// It is the mean of the attributions of the true positions, scaled as for
/// [`AreaUnderPrecision`](crate::metric::AreaUnderPrecision). In [0, 1], **higher is better**: 1 = all true positions are
/// marked at every threshold. No value for a sample without a true position, and for a constant map that is to be scaled.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::AreaUnderRecall};
/// let maps = array![[4.0, 2.0, 0.0]];
/// let data = Data::from_maps(maps.view()).with(Masks::new(array![[[true, true, false]]]));
/// // Up to 0.5 both are found, above it one of two.
/// assert_eq!(AreaUnderRecall::new().evaluate_on(data)?.value, 0.5 * 1.0 + 0.5 * 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no true position is marked at any threshold. 1: all of them are marked at every threshold.
///
/// # Limits
/// A map that marks everything but one position that is not true has 1: read it with the area under precision. It asks
/// where the truth is, not what the model uses.
///
/// # Source
/// Crabbé and van der Schaar, Explaining Time Series Predictions with Dynamic Masks, 2021.
///
/// # Elsewhere
/// `tint.white_box.aur`
#[metric(
    name = "area-under-recall",
    describes = RecallArea,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.4344,
)]
pub type AreaUnderRecall = TruthMetric<RecallArea>;

/// The formula of [`AreaUnderRecall`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = AreaUnderRecall, at = formula)]
pub struct RecallArea {
    /// Rule for the area: steps of the curve, or trapezoids.
    rule: AreaRule,
}

impl TruthFormula for RecallArea {
    const NORMALIZED: bool = true;
    const REQUIRES_UNIT_RANGE: bool = true;

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        let recall = |point: &ThresholdPoint| point.n_second as f64 / map.n_inside as f64;
        self.rule.area(map, recall)
    }
}
