//! The linear datamodeling score of a context.

use ndarray::ArrayView2;
use xai_core::describe::{Parameters, metric};
use xai_core::number::check_finite_slice;
use xai_core::statistics::Correlation;
use xai_core::{Error, ExactSum, Real, Result, parallel};

use crate::input;
use crate::metric::MetricValue;

/// Rank correlation of summed attributions and model outputs over ablations of the context.
///
/// ```text
/// Spearman correlation over ablations of Σ a over what is kept, and the output
/// ```
///
/// An ablation keeps some sources of a context, or some features of any input, and `f_ij` is what the model then gives the
/// answer: best the logit of its probability, [`sequence_score`](crate::metric::sequence_score). In [−1, 1],
/// **higher is better**: 1 = the sums rank the ablations as the model does. A sample of which either side is constant has
/// no value.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::metric::ContextLds;
/// let kept = array![[true, false, true], [true, true, false], [false, false, true]];
/// // The sums are 3, 4 and 1.
/// let lds = ContextLds::new().evaluate(&[[2.0, 2.0, 1.0]], &[kept.view()], &[[0.5, 0.9, 0.2]])?;
/// assert_eq!(lds.value, 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// -1: the sums rank the ablations in reverse. 0: they say nothing of the order. 1: they rank them as the model does.
///
/// # Limits
/// It asks how well sums predict: where sources work together no map has 1. Which ablations were drawn decides, and few
/// of them are noise.
///
/// # Source
/// Cohen-Wang et al., *ContextCite: Attributing Model Generation to Context*, 2024; Park et al., *TRAK: Attributing Model
/// Behavior at Scale*, 2023.
#[metric(
    name = "context-lds",
    title = "Context LDS",
    direction = Direction::Higher,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::EXPLANATIONS, input::KEPT, input::OUTPUTS],
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct ContextLds {
    /// Correlation of sums of attributions and outputs.
    correlation: Correlation,
}

impl ContextLds {
    /// The metric of the maps of all samples, which may have different numbers of features; of each what its ablations kept,
    /// `(ablations, features)`, and the output of each ablation.
    ///
    /// It has a call of its own because it asks no model: ablations were made, and answered, before.
    ///
    /// # Errors
    /// Empty, a shape mismatch, not finite, each of them naming the sample.
    pub fn evaluate<T: Real>(
        &self,
        maps: &[impl AsRef<[T]> + Sync],
        kept: &[ArrayView2<'_, bool>],
        outputs: &[impl AsRef<[f64]> + Sync],
    ) -> Result<MetricValue> {
        if maps.is_empty() {
            return Err(Error::empty(input::EXPLANATIONS));
        }
        for (input, len) in [(input::KEPT, kept.len()), (input::OUTPUTS, outputs.len())] {
            if len != maps.len() {
                return Err(Error::shape(input, &[maps.len()], &[len]));
            }
        }
        let values = parallel::map(maps.len(), |sample| {
            let outputs = outputs[sample].as_ref();
            let value = self.of_sample(maps[sample].as_ref(), kept[sample], outputs);
            value.map_err(|error| error.owner(format!("sample {sample}")))
        });
        MetricValue::new(values.into_iter().collect::<Result<_>>()?)
    }

    fn of_sample<T: Real>(
        &self,
        map: &[T],
        kept: ArrayView2<'_, bool>,
        outputs: &[f64],
    ) -> Result<Option<f64>> {
        if kept.dim() != (outputs.len(), map.len()) {
            let expected = [outputs.len(), map.len()];
            return Err(Error::shape(input::KEPT, &expected, kept.shape()));
        }
        check_finite_slice(input::EXPLANATIONS, map)?;
        check_finite_slice(input::OUTPUTS, outputs)?;
        // Exact, so that equal sums are ties.
        let sum = |kept: ndarray::ArrayView1<'_, bool>| {
            let terms = kept.iter().zip(map).filter(|(kept, _)| **kept);
            terms
                .map(|(_, a)| a.to_f64_exact())
                .collect::<ExactSum>()
                .value()
        };
        let sums: Vec<f64> = kept.outer_iter().map(sum).collect();
        check_finite_slice(input::EXPLANATIONS, &sums)?;
        Ok(self.correlation.correlate_finite(&sums, outputs))
    }
}
