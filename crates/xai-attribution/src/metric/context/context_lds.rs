//! Linear datamodeling score (LDS) of context attribution.

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
/// Spearman correlation over ablations j of Σ a over the sources kept in j, and the model output f_j
/// ```
///
/// An ablation keeps some sources of a context, or some features of any input, and `f_j` is the score of the answer for
/// the kept sources, preferably the logit of its probability ([`sequence_score`](crate::metric::sequence_score)). In
/// [−1, 1], **higher is better**: 1 = the sums rank the ablations as the model does. It is undefined for a sample whose
/// sums or outputs are constant.
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
/// -1: the sums rank the ablations in reverse order. 0: there is no relation. 1: they rank them as the model does.
///
/// # Limits
/// It measures how well sums predict outputs: if sources interact, no map has 1. It depends on the drawn ablations, and
/// is noisy with few of them.
///
/// # Source
/// Cohen-Wang et al., *ContextCite: Attributing Model Generation to Context*, 2024; Park et al., *TRAK: Attributing
/// Model Behavior at Scale*, 2023.
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
    /// Evaluates the maps of all samples, which may have different numbers of features.
    ///
    /// For each sample, `kept` has the features that each ablation kept, of shape `(ablations, features)`, and
    /// `outputs` the output of each ablation. The metric has its own method because it calls no model: the outputs of
    /// the ablations exist already.
    ///
    /// # Errors
    /// An empty input if there are no samples or no sample has a value, a shape mismatch, an attribution or output that
    /// is not finite, and attributions whose sum exceeds the range of `f64`. Errors about a sample name it.
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
            let value = self.evaluate_sample(maps[sample].as_ref(), kept[sample], outputs);
            value.map_err(|error| error.owner(format!("sample {sample}")))
        });
        MetricValue::new(values.into_iter().collect::<Result<_>>()?)
    }

    fn evaluate_sample<T: Real>(
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
        // Exact sums: with rounding, sums that are mathematically equal could differ in the last bit and break a tie.
        let sum = |kept: ndarray::ArrayView1<'_, bool>| {
            let terms = kept.iter().zip(map).filter(|(kept, _)| **kept);
            terms
                .map(|(_, a)| a.to_f64_exact())
                .collect::<ExactSum>()
                .value()
        };
        let sums: Vec<f64> = kept.outer_iter().map(sum).collect();
        // Finite attributions can have a sum outside the range of f64, which has no rank.
        check_finite_slice(input::EXPLANATIONS, &sums)?;
        Ok(self.correlation.correlate_finite(&sums, outputs))
    }
}
