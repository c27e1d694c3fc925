//! Number of attributions that are not zero.

use xai_core::describe::metric;
use xai_core::{Real, Result};

use crate::batch::ExplainedBatch;
use crate::input;
use crate::metric::kinds::magnitudes::values_of_batch;
use crate::metric::{Measure, Parameters, Threshold};

/// Number of attributions whose absolute value exceeds a threshold.
///
/// ```text
/// number of positions with |a| > 1e-5 · max |a|
/// ```
///
/// Channels are averaged; **lower is simpler**. By default the threshold is a share of the largest |attribution| of the
/// map, so that the scale of the map does not matter. With an [absolute](crate::metric::Threshold::Absolute) threshold,
/// maps of different scales are not comparable. A map of zeros has no value.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{Evaluate, EvaluationData, metric::NonzeroFeatures};
/// let maps = array![[0.5, -0.2, 1e-7, 0.0]];
/// let count = NonzeroFeatures::new().evaluate_on(EvaluationData::from_maps(maps.view()))?;
/// assert_eq!(count.value, 2.0);
/// // An attribution at the threshold is not larger.
/// let count = NonzeroFeatures::new().threshold(0.5).evaluate_on(EvaluationData::from_maps(maps.view()))?;
/// assert_eq!(count.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: above 1e-5 of the largest |attribution|.
///
/// # Extremes
/// 0: no attribution is above an absolute threshold (a relative one below 1 is exceeded by the largest). n_positions:
/// all are.
///
/// # Limits
/// A tiny attribution counts as much as the largest one. With an absolute threshold, maps of different scales are not
/// comparable. The model is not used.
///
/// # Source
/// Nguyen and Martínez, *On quantitative aspects of model interpretability*, 2020.
///
/// Quantus calls it Effective Complexity and applies an absolute threshold to maps divided by their largest
/// |attribution|. The metric of the paper is [`EffectiveComplexity`](crate::metric::EffectiveComplexity).
///
/// # Elsewhere
/// `quantus.EffectiveComplexity`
#[metric(
    name = "nonzero-features",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE.up_to_data("n_positions"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = &[input::EXPLANATIONS],
    example = 13.5,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct NonzeroFeatures {
    /// Magnitude above which an attribution counts: a number, or a share of the map's largest.
    #[param(into, default = Threshold::OfLargest(1e-5))]
    threshold: Threshold,
}

impl<T: Real> Measure<T> for NonzeroFeatures {
    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        values_of_batch(explained, |magnitudes| {
            let largest = magnitudes.iter().copied().fold(0.0, f64::max);
            let threshold = self.threshold.cutoff(largest);
            let above = magnitudes.iter().filter(|&&m| m > threshold);
            Some(above.count() as f64)
        })
    }
}

registered!(NonzeroFeatures);
