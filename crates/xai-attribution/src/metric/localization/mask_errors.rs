//! Errors of a map against a mask, position by position.

use xai_core::ExactMean;
use xai_core::describe::{Parameters, metric};

use crate::metric::{MASK_NEEDS, MaskedMap, TruthFormula, TruthMetric};

/// Mean of `loss(attribution − truth)` over all positions; `None` if it is not finite.
fn mean_loss(map: &MaskedMap<'_>, loss: impl Fn(f64) -> f64) -> Option<f64> {
    let positions = map.attributions.iter().enumerate();
    let mean: ExactMean = positions.map(|(p, a)| loss(a - map.truth(p))).collect();
    mean.value().filter(|mean| mean.is_finite())
}

/// Mean absolute error of the map against the mask.
///
/// ```text
/// mean over positions of |a − t|, t the mask
/// ```
///
/// Boolean masks count as 0 and 1. In [0, ∞), or in [0, 1] for maps in [0, 1], **lower is better**: 0 = the map equals
/// the mask. Maps are not scaled, unless [`normalize`](TruthMetric::normalize) is on.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::MaskMae};
/// let maps = array![[0.5, 0.25]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::from_numbers(array![[[1.0, 0.5]]]));
/// assert_eq!(MaskMae::new().evaluate_on(data)?.value, (0.5 + 0.25) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the map equals the mask.
///
/// # Limits
/// If few positions are true, a map of zeros has a small error. Maps must have the unit of the mask: normalize them if
/// they do not.
///
/// # Source
/// Enguehard, *Time Interpret: a Unified Model Interpretability Library for Time Series*, 2023.
///
/// `time_interpret` scales maps by default: [`normalize`](TruthMetric::normalize) and [`pooled`](TruthMetric::pooled)
/// give its number.
///
/// # Elsewhere
/// `tint.white_box.mae`
#[metric(
    name = "mask-mae",
    title = "Mask MAE",
    describes = AbsoluteError,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::MIRROR,
    needs = MASK_NEEDS,
    example = 0.2353,
)]
pub type MaskMae = TruthMetric<AbsoluteError>;

/// The formula of [`MaskMae`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct AbsoluteError;

impl TruthFormula for AbsoluteError {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        mean_loss(map, f64::abs)
    }
}

/// Mean squared error of the map against the mask.
///
/// ```text
/// mean over positions of (a − t)², t the mask
/// ```
///
/// As [`MaskMae`](crate::metric::MaskMae), with squared errors.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::MaskMse};
/// let maps = array![[0.5, 0.25]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, false]]]));
/// assert_eq!(MaskMse::new().evaluate_on(data)?.value, (0.25 + 0.0625) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the map is the truth.
///
/// # Limits
/// A few large errors decide. Maps have to be in the unit of the truth: normalize them if they are not.
///
/// # Source
/// Enguehard, Time Interpret: a Unified Model Interpretability Library for Time Series, 2023.
///
/// # Elsewhere
/// `tint.white_box.mse`
#[metric(
    name = "mask-mse",
    title = "Mask MSE",
    describes = SquaredError,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::MIRROR,
    needs = MASK_NEEDS,
    example = 0.2138,
)]
pub type MaskMse = TruthMetric<SquaredError>;

/// The formula of [`MaskMse`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct SquaredError;

impl TruthFormula for SquaredError {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        mean_loss(map, |error| error * error)
    }
}

/// Root mean squared error of the map against the mask.
///
/// ```text
/// root of the mean over positions of (a − t)², t the mask
/// ```
///
/// It is the square root of [`MaskMse`](crate::metric::MaskMse), sample by sample.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::MaskRmse};
/// let maps = array![[0.5, 0.5]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, false]]]));
/// assert_eq!(MaskRmse::new().evaluate_on(data)?.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the map is the truth.
///
/// # Limits
/// A few large errors decide. Maps have to be in the unit of the truth: normalize them if they are not.
///
/// # Source
/// Enguehard, Time Interpret: a Unified Model Interpretability Library for Time Series, 2023.
///
/// # Elsewhere
/// `tint.white_box.rmse`
#[metric(
    name = "mask-rmse",
    title = "Mask RMSE",
    describes = RootSquaredError,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::MIRROR,
    needs = MASK_NEEDS,
    example = 0.3371,
)]
pub type MaskRmse = TruthMetric<RootSquaredError>;

/// The formula of [`MaskRmse`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct RootSquaredError;

impl TruthFormula for RootSquaredError {
    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        SquaredError.value(map).map(f64::sqrt)
    }
}
