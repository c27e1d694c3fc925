//! Complexity of a map: the entropy of its attributions.

use ndarray::ArrayViewD;
use xai_core::describe::{Parameters, metric};
use xai_core::number::elementary;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::{InputLayout, Real, Result};

use crate::batch::ExplainedBatch;
use crate::input;
use crate::metric::kinds::magnitudes::{value_of_maps, values_of_batch, within_range};
use crate::metric::{Measure, MetricValue};

/// Entropy of `|map|` over the positions, in nats: a measure of how many positions share the attribution.
///
/// ```text
/// p = m / Σ m      C_i = −Σ p ln p      m = mean over channels of |map|, 0 ln 0 = 0
/// ```
///
/// 0 = all on one position, `ln n_positions` = evenly spread; lower is easier to read. The scale of a map does not
/// matter. A map of zeros has no value. `maps` have the shape of inputs or lack the channel axis, see [`InputLayout`].
///
/// # Errors
/// An empty input if there are no samples or positions or if all maps are zero, a shape mismatch if the number of axes
/// does not fit the layout, and an attribution that is not finite.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::InputLayout;
/// use xai_attribution::metric::complexity;
/// let c = complexity(array![[1.0, 1.0, -1.0, 1.0], [0.0, 5.0, 0.0, 0.0]].into_dyn().view(), InputLayout::Tabular)?;
/// assert!((c.per_sample[0].unwrap() - 4f64.ln()).abs() < 1e-15);
/// assert_eq!(c.per_sample[1], Some(0.0));
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Bhatt et al., *Evaluating and Aggregating Feature-based Model Explanations*, 2020. Xplique adds 1e-8 to the sum and
/// inside the logarithm, with which a map of zeros has the best value, 0.
pub fn complexity<T: Real>(maps: ArrayViewD<'_, T>, layout: InputLayout) -> Result<MetricValue> {
    value_of_maps(maps, layout, entropy)
}

/// Entropy of the absolute attributions over the positions, in nats.
///
/// ```text
/// −Σ p ln p, p = |a| / Σ |a|
/// ```
///
/// # Extremes
/// 0: all attribution is on one position. ln n_positions: it is spread evenly.
///
/// # Limits
/// A simple map may be wrong: read it with a metric of faithfulness. Maps of different sizes are not comparable.
///
/// # Source
/// Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.
///
/// # Elsewhere
/// `quantus.Complexity`, `xplique.Complexity`
#[metric(
    name = "complexity",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE.up_to_data("ln n_positions"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = &[input::EXPLANATIONS],
    example = 2.2889,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct Complexity;

impl<T: Real> Measure<T> for Complexity {
    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        values_of_batch(explained, entropy)
    }
}

registered!(Complexity);

fn entropy(magnitudes: &mut [f64]) -> Option<f64> {
    let total = within_range(magnitudes);
    InstructionSet::fastest().run(EntropyTerms {
        magnitudes: &mut *magnitudes,
        total,
    });
    // `max` gives 0 instead of −0 for a single position with all attribution, and for a sum that rounds below 0.
    Some((-magnitudes.iter().sum::<f64>()).max(0.0))
}

/// Replaces each magnitude by `p ln p`.
struct EntropyTerms<'a> {
    magnitudes: &'a mut [f64],
    total: f64,
}

impl SimdKernel for EntropyTerms<'_> {
    type Output = ();

    // The terms are stored and summed afterwards: a sum has to be added in a fixed order, which would keep the loop
    // over the logarithms from being vectorized.
    #[inline(always)]
    fn run<S: Simd>(self) {
        for magnitude in self.magnitudes {
            let p = *magnitude / self.total;
            // 0 ln 0 is computed as 0 ln 1. A choice between two values can be vectorized, a branch cannot.
            *magnitude = p * elementary::ln(if p > 0.0 { p } else { 1.0 });
        }
    }
}
