//! Metrics of a map alone, computed from the magnitudes of its attributions.
//!
//! They are undefined for a map of zeros. Otherwise an explainer that always returns zeros would have the simplest maps
//! of all.

use ndarray::ArrayViewD;
use xai_core::number::power_of_two;
use xai_core::tensor::position_magnitudes;
use xai_core::{InputLayout, Real, Result, parallel};

use crate::batch::ExplainedBatch;
use crate::map::positions::layout_of_maps;
use crate::metric::MetricValue;

/// Returns the sum of the magnitudes, after dividing them by a power of two if the sum would overflow.
pub(crate) fn within_range(magnitudes: &mut [f64]) -> f64 {
    let total = magnitudes.iter().sum::<f64>();
    if total.is_finite() {
        return total;
    }
    // A division by a power of two changes exponents only, so ratios of the magnitudes keep all their bits.
    let largest = magnitudes.iter().fold(0.0f64, |m, x| m.max(*x));
    let unit = power_of_two(largest);
    for magnitude in &mut *magnitudes {
        *magnitude /= unit;
    }
    magnitudes.iter().sum()
}

/// Computes one value per map of a batch from the magnitudes of its positions; `None` for a map of zeros.
pub(crate) fn values_of_batch<T: Real>(
    explained: &ExplainedBatch<'_, T>,
    value: impl Fn(&mut [f64]) -> Option<f64> + Sync + Send,
) -> Result<Vec<Option<f64>>> {
    let n = explained.batch().n_samples();
    Ok(by_sample(explained.magnitudes()?, n, value))
}

/// Computes the value of a data set of maps without a run; it is the same as from a run in batches.
pub(crate) fn value_of_maps<T: Real>(
    maps: ArrayViewD<'_, T>,
    layout: InputLayout,
    value: impl Fn(&mut [f64]) -> Option<f64> + Sync + Send,
) -> Result<MetricValue> {
    let shape = maps.shape().to_vec();
    let layout = layout_of_maps(&shape, layout);
    let magnitudes = position_magnitudes(maps, &shape, layout)?;
    MetricValue::new(by_sample(&magnitudes, shape[0], value))
}

fn by_sample(
    magnitudes: &[f64],
    n: usize,
    value: impl Fn(&mut [f64]) -> Option<f64> + Sync + Send,
) -> Vec<Option<f64>> {
    let positions = magnitudes.len() / n;
    parallel::map(n, |i| {
        // A copy, because `value` may scale, sort or overwrite the magnitudes, which other metrics share.
        let mut sample = magnitudes[i * positions..(i + 1) * positions].to_vec();
        let is_nonzero = sample.iter().any(|&m| m > 0.0);
        is_nonzero.then(|| value(&mut sample)).flatten()
    })
}
