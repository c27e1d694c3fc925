//! Sparseness of a map: the Gini index of its attributions.

use ndarray::ArrayViewD;
use xai_core::describe::{Parameters, metric};
use xai_core::{InputLayout, Real, Result};

use crate::batch::ExplainedBatch;
use crate::input;
use crate::metric::kinds::magnitudes::{value_of_maps, values_of_batch, within_range};
use crate::metric::{Measure, MetricValue};

/// Gini index of `|map|`: a measure of how unequally the attribution is distributed over the positions.
///
/// ```text
/// S_i = 1 − 2 Σ_k (m_(k) / Σ m) (n − k + ½) / n      m_(1) ≤ … ≤ m_(n): sorted channel means of |map|
/// ```
///
/// 0 = evenly spread, `1 − 1/n` = all on one position; higher is sparser. It is undefined for a map of
/// zeros. `maps` are those of [`complexity`](crate::metric::complexity()).
///
/// # Errors
/// As [`complexity`](crate::metric::complexity()).
///
/// ```
/// use ndarray::array;
/// use xai_attribution::InputLayout;
/// use xai_attribution::metric::sparseness;
/// let s = sparseness(array![[1.0, 1.0, -1.0, 1.0], [0.0, 5.0, 0.0, 0.0]].into_dyn().view(), InputLayout::Tabular)?;
/// assert_eq!(s.per_sample, [Some(0.0), Some(0.75)]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Chalasani et al., *Concise Explanations of Neural Networks using Adversarial Training*, 2020.
pub fn sparseness<T: Real>(maps: ArrayViewD<'_, T>, layout: InputLayout) -> Result<MetricValue> {
    value_of_maps(maps, layout, gini_index)
}

/// Gini index of the absolute attributions.
///
/// ```text
/// 1 − 2 Σ_k (m_(k) / Σ m) (n − k + ½) / n, m_(1) ≤ … ≤ m_(n) the sorted |a|: the Gini index
/// ```
///
/// # Extremes
/// 0: attribution is spread evenly. 1 − 1/n_positions: it is on one position.
///
/// # Limits
/// A sparse map may be wrong: read it with a metric of faithfulness. Setting small attributions of a map to 0 raises
/// it, for any explainer.
///
/// # Source
/// Chalasani et al., Concise Explanations of Neural Networks using Adversarial Training, 2020.
///
/// # Elsewhere
/// `quantus.Sparseness`, `xplique.Sparseness`
#[metric(
    name = "sparseness",
    direction = Direction::Higher,
    range = Range::NON_NEGATIVE.up_to_data("1 - 1/n_positions"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = &[input::EXPLANATIONS],
    example = 0.5192,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct Sparseness;

impl<T: Real> Measure<T> for Sparseness {
    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        values_of_batch(explained, gini_index)
    }
}

registered!(Sparseness);

fn gini_index(magnitudes: &mut [f64]) -> Option<f64> {
    within_range(magnitudes);
    magnitudes.sort_unstable_by(f64::total_cmp);
    // Summed in sorted order, so that the value has the same bits for every arrangement of the positions.
    let total: f64 = magnitudes.iter().sum();
    let n = magnitudes.len() as f64;
    // `k` counts from 0 here and from 1 in the formula, hence −½ instead of +½.
    let weighted: f64 = magnitudes
        .iter()
        .enumerate()
        .map(|(k, x)| x / total * ((n - k as f64 - 0.5) / n))
        .sum();
    Some(1.0 - 2.0 * weighted)
}
