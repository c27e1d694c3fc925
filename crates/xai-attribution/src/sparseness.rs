//! Sparseness of a map: the Gini index of its attribution.

use ndarray::ArrayViewD;
use xai_core::{Layout, Real, Result};

use crate::complexity::{of_batch, of_magnitudes};
use crate::{Better, EvaluationMetric, ExplainedBatch, SampleScores};

/// How unequally a map shares its attribution: the Gini index of `|map|`.
///
/// ```text
/// S_i = 1 − 2 Σ_k (m_(k) / Σ m) (n − k + ½) / n      m_(1) ≤ … ≤ m_(n): sorted channel means of |map|
/// ```
///
/// 0 = evenly spread, towards 1 = all on one place (`1 − 1/n`); higher is sparser. A map of zeros
/// has nothing to share: undefined. `maps` as in [`complexity`](crate::complexity()).
///
/// # Errors
/// As [`complexity`](crate::complexity()); [`Error::Empty`](xai_core::Error::Empty) when every map
/// is zero.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{Layout, sparseness};
/// let s = sparseness(array![[1.0, 1.0, -1.0, 1.0], [0.0, 5.0, 0.0, 0.0]].into_dyn().view(), Layout::Tabular)?;
/// assert_eq!(s.per_sample, [Some(0.0), Some(0.75)]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Chalasani et al., *Concise Explanations of Neural Networks using Adversarial Training*, 2020.
pub fn sparseness<T: Real>(maps: ArrayViewD<'_, T>, layout: Layout) -> Result<SampleScores> {
    of_magnitudes(maps, layout, gini_index)
}

/// [`sparseness`] as a metric of an [`Evaluation`](crate::Evaluation).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sparseness;

impl<T: Real> EvaluationMetric<T> for Sparseness {
    fn name(&self) -> &'static str {
        "sparseness"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn scores(&self, batch: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        of_batch(batch, gini_index)
    }
}

fn gini_index(magnitudes: &mut [f64]) -> Option<f64> {
    crate::complexity::within_range(magnitudes);
    magnitudes.sort_unstable_by(f64::total_cmp);
    let total: f64 = magnitudes.iter().sum();
    if total == 0.0 {
        return None;
    }
    #[allow(clippy::cast_precision_loss)] // exact below 2^53 positions
    let n = magnitudes.len() as f64;
    #[allow(clippy::cast_precision_loss)]
    let weighted: f64 = magnitudes
        .iter()
        .enumerate()
        .map(|(k, x)| x / total * ((n - k as f64 - 0.5) / n))
        .sum();
    Some(1.0 - 2.0 * weighted)
}
