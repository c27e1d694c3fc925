//! The share of the largest attributions.

use xai_core::describe::metric;
use xai_core::{Real, Result};

use crate::batch::ExplainedBatch;
use crate::input;
use crate::metric::kinds::magnitudes::{values_of_batch, within_range};
use crate::metric::{Measure, Parameters};

/// Share of the attribution on the largest positions.
///
/// ```text
/// Σ_{p in largest} |a_p| / Σ |a_p|
/// ```
///
/// In [0, 1], **higher is simpler**: 1 = all on these positions. Channels are averaged. If `count` exceeds the number
/// of positions, the value is 1. A map of zeros has no value.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{Evaluate, EvaluationData, metric::LargestShare};
/// let maps = array![[3.0, -1.0, 0.0, 1.0]];
/// let share = LargestShare::new().evaluate_on(EvaluationData::from_maps(maps.view()))?;
/// assert_eq!(share.value, 0.6);
/// let share = LargestShare::new().count(2).evaluate_on(EvaluationData::from_maps(maps.view()))?;
/// assert_eq!(share.value, 0.8);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: the largest position alone.
///
/// # Extremes
/// count / n_positions: it is spread evenly. 1: all attribution lies on these positions.
///
/// # Limits
/// A simple map may be wrong: read it with a metric of faithfulness. Values of maps of different sizes are not
/// comparable.
///
/// # Source
/// Berger and Parker, *Diversity of Planktonic Foraminifera in Deep-Sea Sediments*, 1970 (for one position).
#[metric(
    name = "largest-share",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = &[input::EXPLANATIONS],
    example = 0.2202,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct LargestShare {
    /// Number of largest positions.
    #[param(at_least = 1, default = 1)]
    count: usize,
}

impl<T: Real> Measure<T> for LargestShare {
    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        values_of_batch(explained, |magnitudes| {
            within_range(magnitudes);
            magnitudes.sort_unstable_by(|a, b| b.total_cmp(a));
            let largest: f64 = magnitudes.iter().take(self.count).sum();
            Some(largest / magnitudes.iter().sum::<f64>())
        })
    }
}

registered!(LargestShare);
