//! Areas under the precision and the recall of a map over its thresholds.

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::statistics::{ThresholdPoint, thresholds};

use crate::metric::{MASK_NEEDS, MaskedMap, TruthFormula, TruthMetric};

/// Rule for the area under a curve over thresholds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "rule")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum AreaRule {
    /// Exact integral of the step function over thresholds in (0, 1].
    #[default]
    Exact,
    /// Trapezoids between the distinct attributions, from the smallest one on, as in `time_interpret`.
    Trapezoid,
}

impl AreaRule {
    /// Area under `height` as a function of the threshold, for a map in [0, 1]; `None` for an empty mask.
    fn area(self, map: &MaskedMap<'_>, height: impl Fn(&ThresholdPoint) -> f64) -> Option<f64> {
        if map.n_inside == 0 {
            return None;
        }
        let points = thresholds(map.attributions, map.inside);
        Some(match self {
            Self::Exact => {
                // Points ascend by value. The marked positions are the same for all thresholds in (previous value,
                // value], so each point is a step of that width. The first step starts at 0; above the largest value
                // nothing is marked.
                let below = std::iter::once(0.0).chain(points.iter().map(|point| point.value));
                let steps = points.iter().zip(below);
                steps
                    .map(|(point, below)| (point.value - below) * height(point))
                    .sum()
            }
            Self::Trapezoid => {
                let trapezoid = |pair: &[ThresholdPoint]| {
                    (pair[1].value - pair[0].value) * (height(&pair[0]) + height(&pair[1])) / 2.0
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
/// in [0, 1]. In [0, 1], **higher is better**: 1 = all marked positions are true at every threshold. It is undefined
/// for a sample without a true position, and for a constant map if maps are scaled.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::AreaUnderPrecision};
/// let maps = array![[4.0, 2.0, 0.0]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[false, true, false]]]));
/// // Up to a threshold of 0.5, the first two positions are marked, above it only the first.
/// assert_eq!(AreaUnderPrecision::new().evaluate_on(data)?.value, 0.5 * 0.5 + 0.5 * 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no marked position is ever true. The share of true positions: a map whose scaled attributions are 0 or 1 at
/// random. 1: all marked positions are true at every threshold.
///
/// # Limits
/// A map that marks a single true position and nothing else has 1: read it with the area under recall. It compares the
/// map with the truth, not with the features that the model uses.
///
/// # Source
/// Crabbé and van der Schaar, *Explaining Time Series Predictions with Dynamic Masks*, 2021.
///
/// The authors' code and `time_interpret` use trapezoids between the attributions, with which a map equal to the truth
/// has (1 + share of true positions) / 2: [`AreaRule::Trapezoid`] and [`pooled`](TruthMetric::pooled) give that number.
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
/// With [`AreaRule::Exact`], it is the mean of the attributions of the true positions, scaled as for
/// [`AreaUnderPrecision`](crate::metric::AreaUnderPrecision). In [0, 1], **higher is better**: 1 = all true positions
/// are marked at every threshold. It is undefined for a sample without a true position, and for a constant map if maps
/// are scaled.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::AreaUnderRecall};
/// let maps = array![[4.0, 2.0, 0.0]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, true, false]]]));
/// // Up to a threshold of 0.5, both true positions are marked, above it one of the two.
/// assert_eq!(AreaUnderRecall::new().evaluate_on(data)?.value, 0.5 * 1.0 + 0.5 * 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no true position is marked at any threshold. 1: all of them are marked at every threshold.
///
/// # Limits
/// A map that marks everything except one position that is not true has 1: read it with the area under precision. It
/// compares the map with the truth, not with the features that the model uses.
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
