//! How far a map is from the truth, position by position.

use xai_core::ExactMean;
use xai_core::describe::{Direction, Invariance, MetricInfo, Parameters, Range, Reading};

use crate::metric::{MASK_NEEDS, MaskedMap, TruthFormula, TruthMetric};

/// The mean over all positions of something of their error.
fn mean_of(map: &MaskedMap<'_>, of: impl Fn(f64) -> f64) -> Option<f64> {
    let positions = map.attributions.iter().enumerate();
    let errors: ExactMean = positions.map(|(p, a)| of(a - map.truth(p))).collect();
    errors.value().filter(|error| error.is_finite())
}

/// What the documentation of all errors says alike.
const fn info(
    name: &'static str,
    title: &'static str,
    question: &'static str,
    reading: Reading,
) -> MetricInfo {
    MetricInfo {
        name,
        title,
        question,
        direction: Direction::Lower,
        invariance: Invariance::MIRROR,
        range: Range::NON_NEGATIVE,
        needs: MASK_NEEDS,
        source: "Enguehard, Time Interpret: a Unified Model Interpretability Library for Time Series, 2023",
        reading,
    }
}

const EXTREMES: &str = "0: the map is the truth.";

/// How far is a map from the truth?
///
/// ```text
/// MAE_i = mean over all positions of |a_p − t_p|
/// ```
///
/// `t` are masks, booleans as 0 and 1. In [0, ∞), in [0, 1] for maps in [0, 1], **lower is better**: 0 = the map is the truth.
/// Maps are read as they are, unless [`normalize`](TruthMetric::normalize) is on.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::MaskMae};
/// let maps = array![[0.5, 0.25]];
/// let data = Data::of_maps(maps.view()).with(Masks::of_numbers(array![[[1.0, 0.5]]]));
/// assert_eq!(MaskMae::new().evaluate_on(data)?.value, (0.5 + 0.25) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Enguehard, *Time Interpret: a Unified Model Interpretability Library for Time Series*, 2023. `time_interpret` scales maps
/// by default: [`normalize`](TruthMetric::normalize) and [`pooled`](TruthMetric::pooled) give its number.
pub type MaskMae = TruthMetric<AbsoluteError>;

/// The formula of [`MaskMae`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct AbsoluteError;

impl TruthFormula for AbsoluteError {
    const INFO: &'static MetricInfo = &info(
        "mask-mae",
        "Mask MAE",
        "How far is a map from the truth?",
        Reading {
            formula: "mean over positions of |a − t|, t the mask",
            extremes: EXTREMES,
            limits: "Where little is true a map of zeros is near the truth. Maps have to be in the unit of the truth: normalize them if they are not.",
            peers: &["tint.white_box.mae"],
            example: Some(0.2353),
        },
    );

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        mean_of(map, f64::abs)
    }
}

/// How far is a map from the truth, large errors counting more?
///
/// ```text
/// MSE_i = mean over all positions of (a_p − t_p)²
/// ```
///
/// As [`MaskMae`](crate::metric::MaskMae), of squares.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::MaskMse};
/// let maps = array![[0.5, 0.25]];
/// let data = Data::of_maps(maps.view()).with(Masks::new(array![[[true, false]]]));
/// assert_eq!(MaskMse::new().evaluate_on(data)?.value, (0.25 + 0.0625) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// As [`MaskMae`](crate::metric::MaskMae).
pub type MaskMse = TruthMetric<SquaredError>;

/// The formula of [`MaskMse`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct SquaredError;

impl TruthFormula for SquaredError {
    const INFO: &'static MetricInfo = &info(
        "mask-mse",
        "Mask MSE",
        "How far is a map from the truth, large errors counting more?",
        Reading {
            formula: "mean over positions of (a − t)², t the mask",
            extremes: EXTREMES,
            limits: "A few large errors decide. Maps have to be in the unit of the truth: normalize them if they are not.",
            peers: &["tint.white_box.mse"],
            example: Some(0.2138),
        },
    );

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        mean_of(map, |error| error * error)
    }
}

/// How far is a map from the truth, large errors counting more, in the unit of the map?
///
/// The root of [`MaskMse`](crate::metric::MaskMse), sample by sample.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::MaskRmse};
/// let maps = array![[0.5, 0.5]];
/// let data = Data::of_maps(maps.view()).with(Masks::new(array![[[true, false]]]));
/// assert_eq!(MaskRmse::new().evaluate_on(data)?.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// As [`MaskMae`](crate::metric::MaskMae). The root of the [pooled](TruthMetric::pooled) mean is not the mean of the roots.
pub type MaskRmse = TruthMetric<RootSquaredError>;

/// The formula of [`MaskRmse`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct RootSquaredError;

impl TruthFormula for RootSquaredError {
    const INFO: &'static MetricInfo = &info(
        "mask-rmse",
        "Mask RMSE",
        "How far is a map from the truth, large errors counting more, in the unit of the map?",
        Reading {
            formula: "root of the mean over positions of (a − t)², t the mask",
            extremes: EXTREMES,
            limits: "A few large errors decide. Maps have to be in the unit of the truth: normalize them if they are not.",
            peers: &["tint.white_box.rmse"],
            example: Some(0.3371),
        },
    );

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        SquaredError.value(map).map(f64::sqrt)
    }
}
