//! Metrics of a map alone, from the size of its attributions.
//!
//! A map of zeros says nothing, so none of them has a value of it: an explainer that answers with zeros would else have
//! the simplest maps of all.

use ndarray::ArrayViewD;
use xai_core::number::power_of_two;
use xai_core::tensor::position_magnitudes;
use xai_core::{Layout, Real, Result, parallel};

use crate::batch::ExplainedBatch;
use crate::map::positions::layout_of_maps;
use crate::metric::MetricValue;

/// Returns the sum of magnitudes, after dividing them by a power of two where the sum would overflow.
pub(crate) fn within_range(magnitudes: &mut [f64]) -> f64 {
    let total = magnitudes.iter().sum::<f64>();
    if total.is_finite() {
        return total;
    }
    let largest = magnitudes.iter().fold(0.0f64, |m, x| m.max(*x));
    let unit = power_of_two(largest);
    for magnitude in &mut *magnitudes {
        *magnitude /= unit;
    }
    magnitudes.iter().sum()
}

/// A value per map of a batch from its magnitudes by position.
pub(crate) fn values_of_batch<T: Real>(
    explained: &ExplainedBatch<'_, T>,
    value: impl Fn(&mut [f64]) -> Option<f64> + Sync + Send,
) -> Result<Vec<Option<f64>>> {
    let n = explained.batch().n_samples();
    Ok(by_sample(explained.magnitudes()?, n, value))
}

/// A value per map of a data set: the same as batch by batch, in one piece.
pub(crate) fn value_of_maps<T: Real>(
    maps: ArrayViewD<'_, T>,
    layout: Layout,
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
        let mut sample = magnitudes[i * positions..(i + 1) * positions].to_vec();
        let says_something = sample.iter().any(|&m| m > 0.0);
        says_something.then(|| value(&mut sample)).flatten()
    })
}
