//! Complexity of a map: the entropy of its attribution.

use ndarray::ArrayViewD;
use xai_core::{Layout, Real, Result, elementary, parallel, position_magnitudes};

use crate::places::layout_of_maps;
use crate::sample_scores::EPSILON;
use crate::{Better, EvaluationMetric, ExplainedBatch, SampleScores};

/// Over how many places a map spreads its attribution: the entropy of `|map|` in nats.
///
/// ```text
/// p = m / (Σ m + 1e-8)      C_i = −Σ p ln(p + 1e-8)      m = mean over channels of |map|
/// ```
///
/// 0 = all on one place, `ln n_positions` = evenly spread; lower is easier to read. A map of zeros
/// has complexity 0. `maps` have the shape of inputs or lack the channel axis, see [`Layout`].
///
/// # Errors
/// [`Error::Empty`](xai_core::Error::Empty) without samples or positions,
/// [`Error::ShapeMismatch`](xai_core::Error::ShapeMismatch) when the number of axes does not fit
/// the layout, [`Error::NonFinite`](xai_core::Error::NonFinite).
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{Layout, complexity};
/// let c = complexity(array![[1.0, 1.0, -1.0, 1.0], [0.0, 5.0, 0.0, 0.0]].into_dyn().view(), Layout::Tabular)?;
/// assert!((c.per_sample[0].unwrap() - 4f64.ln()).abs() < 1e-6);
/// assert!(c.per_sample[1].unwrap().abs() < 1e-6);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Bhatt et al., *Evaluating and Aggregating Feature-based Model Explanations*, 2020.
pub fn complexity<T: Real>(maps: ArrayViewD<'_, T>, layout: Layout) -> Result<SampleScores> {
    of_magnitudes(maps, layout, entropy)
}

/// [`complexity`] as a metric of an [`Evaluation`](crate::Evaluation).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Complexity;

impl<T: Real> EvaluationMetric<T> for Complexity {
    fn name(&self) -> &'static str {
        "complexity"
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn scores(&self, batch: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        of_batch(batch, entropy)
    }
}

/// Brings magnitudes whose sum would leave the range of `f64` into units of the largest.
pub(crate) fn within_range(magnitudes: &mut [f64]) {
    if magnitudes.iter().sum::<f64>().is_infinite() {
        let largest = magnitudes.iter().fold(0.0f64, |m, x| m.max(*x));
        magnitudes.iter_mut().for_each(|x| *x /= largest);
    }
}

fn entropy(magnitudes: &mut [f64]) -> Option<f64> {
    within_range(magnitudes);
    let total: f64 = magnitudes.iter().sum();
    let term = |&x: &f64| {
        let p = x / (total + EPSILON);
        p * elementary::ln(p + EPSILON)
    };
    Some(-magnitudes.iter().map(term).sum::<f64>())
}

/// A score of each map of a batch from its magnitudes by position.
pub(crate) fn of_batch<T: Real>(
    batch: &ExplainedBatch<'_, T>,
    score: impl Fn(&mut [f64]) -> Option<f64> + Sync + Send,
) -> Result<Vec<Option<f64>>> {
    let inputs = batch.batch().inputs();
    let magnitudes = position_magnitudes(batch.maps(), inputs.shape(), batch.batch().layout())?;
    Ok(by_sample(&magnitudes, inputs.shape()[0], score))
}

fn by_sample<T: Real>(
    magnitudes: &[T],
    n: usize,
    score: impl Fn(&mut [f64]) -> Option<f64> + Sync + Send,
) -> Vec<Option<f64>> {
    let positions = magnitudes.len() / n;
    parallel::map(n, |i| {
        let sample = &magnitudes[i * positions..(i + 1) * positions];
        let mut sample: Vec<f64> = sample.iter().map(|x| x.to_f64_exact()).collect();
        score(&mut sample)
    })
}

/// A score of each sample's map from its magnitudes by position.
pub(crate) fn of_magnitudes<T: Real>(
    maps: ArrayViewD<'_, T>,
    layout: Layout,
    score: impl Fn(&mut [f64]) -> Option<f64> + Sync + Send,
) -> Result<SampleScores> {
    let shape = maps.shape().to_vec();
    let layout = layout_of_maps(&shape, layout);
    let magnitudes = position_magnitudes(maps, &shape, layout)?;
    SampleScores::of(by_sample(&magnitudes, shape[0], score))
}
