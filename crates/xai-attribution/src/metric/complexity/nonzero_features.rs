//! The number of attributions that are not zero.

use xai_core::{Direction, Error, MetricInfo, Real, Result};

use crate::batch::explained::ExplainedBatch;
use crate::batch::run_data::RunData;
use crate::input;
use crate::metric::kinds::magnitudes::values_of_batch;
use crate::metric::options::{MetricOption, OptionInfo, Registered, parse};
use crate::metric::protocol::{Measure, Metric};

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
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// What Quantus calls Effective Complexity; for the paper's see
/// [`EffectiveComplexity`](crate::metric::EffectiveComplexity).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NonzeroFeatures {
    threshold: f64,
}

impl Default for NonzeroFeatures {
    fn default() -> Self {
        Self { threshold: 1e-5 }
    }
}

impl NonzeroFeatures {
    /// Above 1e-5.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Above which size an attribution counts, at least 0.
    #[must_use]
    pub fn threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }
}

impl Metric for NonzeroFeatures {
    fn info(&self) -> &'static MetricInfo {
        <Self as Registered>::INFO
    }
}

impl<T: Real> Measure<T> for NonzeroFeatures {
    fn prepare(&self, _run: &RunData<'_, T>) -> Result<()> {
        if self.threshold >= 0.0 && self.threshold.is_finite() {
            return Ok(());
        }
        let expected = "a finite number, at least 0";
        Err(Error::parameter(
            input::ZERO_THRESHOLD,
            self.threshold,
            expected,
        ))
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        values_of_batch(explained, |magnitudes| {
            let above = magnitudes.iter().filter(|&&m| m > self.threshold);
            Some(above.count() as f64)
        })
    }
}

impl Registered for NonzeroFeatures {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "nonzero-features",
        title: "Nonzero features",
        question: "How many attributions are larger than a threshold?",
        direction: Direction::Lower,
        range: "[0, n_positions]",
        needs: &[input::EXPLANATIONS],
        source: "Quantus, as Effective Complexity",
    };
    const OPTIONS: &'static [MetricOption<Self>] = &[MetricOption {
        info: OptionInfo {
            name: "zero-threshold",
            value_name: "SIZE",
            default: "0.00001",
            help: "Up to which size an attribution counts as zero",
        },
        set: |metric, text| {
            let threshold = parse(input::ZERO_THRESHOLD, text, "a number, at least 0")?;
            Ok(metric.threshold(threshold))
        },
    }];

    fn with_defaults() -> Self {
        Self::new()
    }
}
