//! The number of attributions that are not zero.

use xai_core::{Real, Result};

use crate::batch::ExplainedBatch;
use crate::input;
use crate::metric::kinds::magnitudes::values_of_batch;
use crate::metric::{Direction, Measure, MetricInfo, Parameters, Range, Reading, Registered};

/// How many attributions are larger than a threshold?
///
/// The number of positions with `|attribution| > threshold` (channels averaged); **lower is
/// simpler**. Maps are taken in the unit they have: of maps in different units the numbers do not
/// compare.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{Evaluate, batch::Data, metric::NonzeroFeatures};
/// let maps = array![[0.5, -0.2, 1e-7, 0.0]];
/// let count = NonzeroFeatures::new().evaluate_on(Data::of_maps(maps.view()))?;
/// assert_eq!(count.value, 2.0);
/// // One at the threshold is not larger.
/// let count = NonzeroFeatures::new().threshold(0.5).evaluate_on(Data::of_maps(maps.view()))?;
/// assert_eq!(count.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: above 1e-5.
///
/// # Source
/// What Quantus calls Effective Complexity; for the paper's see
/// [`EffectiveComplexity`](crate::metric::EffectiveComplexity).
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct NonzeroFeatures {
    /// Above which size an attribution counts.
    #[param(at_least = 0, default = 1e-5)]
    threshold: f64,
}

impl<T: Real> Measure<T> for NonzeroFeatures {
    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        values_of_batch(explained, |magnitudes| {
            let above = magnitudes.iter().filter(|&&m| m > self.threshold);
            Some(above.count() as f64)
        })
    }
}

registered!(NonzeroFeatures);

impl Registered for NonzeroFeatures {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "nonzero-features",
        title: "Nonzero features",
        question: "How many attributions are larger than a threshold?",
        direction: Direction::Lower,
        range: Range::NON_NEGATIVE.up_to_data("n_positions"),
        needs: &[input::EXPLANATIONS],
        source: "Quantus, as Effective Complexity",
        reading: Reading {
            formula: "number of positions with |attribution| > threshold",
            extremes: "0: no attribution is above the threshold. n_positions: all are.",
            limits: "The threshold has the unit of the map: maps in different units do not compare. The model is not asked.",
            peers: &["quantus.EffectiveComplexity"],
            example: Some(13.5),
        },
    };
}
