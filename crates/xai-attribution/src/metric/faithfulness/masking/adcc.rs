//! ADCC: Average Drop, coherency and complexity in one number.

use ndarray::ArrayD;
use xai_core::describe::{Parameters, metric};
use xai_core::statistics::Correlation;
use xai_core::tensor::{MaskScaling, mask_inputs, position_magnitudes};
use xai_core::{Error, Real, Result};

use crate::batch::{ExplainedBatch, MapWork, Plan};
use crate::input;
use crate::metric::faithfulness::masking::average_drop::AverageDrop;
use crate::metric::{BaseScorePolicy, Measure};

/// Harmonic mean of coherency, simplicity and the share of the score that is kept.
///
/// ```text
/// 3 / ( 1/coherency + 1/(1 − complexity) + 1/(1 − drop) )
/// coherency = (1 + Pearson(|e(x)|, |e(x ⊙ M)|)) / 2      complexity = mean M      drop = max(0, base − masked) / base
/// ```
///
/// It is high if three conditions are met: the map of the masked input is similar to the map (coherency), the mask `M`
/// (|map| scaled to [0, 1]) is small, and [Average Drop](crate::metric::AverageDrop) is low. With scores in (0, 1] it
/// is in [0, 1], **higher is better**; 0 if one of the conditions fails completely. It is undefined if all magnitudes
/// of either of the two maps are equal. Base scores of 0 and below are an error unless
/// [`base_score_policy`](Self::base_score_policy) says otherwise.
///
/// ```
/// use ndarray::{Array2, ArrayD, ArrayViewD, array};
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, EvaluationData, metric::Adcc};
/// let first = |x: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(Array2::from_shape_fn((x.shape()[0], 1), |(i, _)| x[[i, 0]]))
/// };
/// let weights = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(ArrayD::from_shape_fn(x.raw_dim(), |i| if i[1] == 0 { 1.0 } else { 0.0 }))
/// };
/// // No score is lost, the map stays the same, and it marks one of four features: 3 / (1 + 1/0.75 + 1).
/// let x = array![[0.5, 0.5, 0.5, 0.5]];
/// let value = Adcc::new().evaluate_on(EvaluationData::new(x.view(), &[0]).model(&first).explainer(&weights))?;
/// assert!((value.value - 0.9).abs() < 1e-6);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `2 n` rows, shared with Average Drop, and the explainer `2 n` inputs.
///
/// Defaults: an error for base scores that cannot be divided by.
///
/// # Extremes
/// 0: one of the three conditions fails completely. 1: the map of the masked input is the same, marks next to nothing,
/// and loses no score.
///
/// # Limits
/// A single number does not show which of the three is low. Coherency measures whether the explainer repeats itself,
/// which a wrong explainer can do as well.
///
/// # Source
/// Poppi et al., *Revisiting the Evaluation of Class Activation Mapping for Explainability: A Novel Metric and
/// Experimental Analysis*, 2021.
///
/// Coherency is that of the authors' code, mapped from [−1, 1] to [0, 1]. The authors explain the predicted class, this
/// metric the target.
#[metric(
    name = "adcc",
    title = "ADCC",
    direction = Direction::Higher,
    range = Range::SHARE.when("for scores in (0, 1]"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = &[input::MODEL, input::EXPLAINER, input::INPUTS, input::TARGETS],
    example = 0.6505,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameters)]
pub struct Adcc {
    /// Treatment of base scores that the formula of Average Drop cannot divide by.
    base_score_policy: BaseScorePolicy,
}

/// Work that computes the explainer's maps of the masked inputs of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapsOfMasked;

impl<T: Real> MapWork<T> for MapsOfMasked {
    type Output = ArrayD<T>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<ArrayD<T>> {
        let batch = explained.batch();
        let (inputs, layout) = (batch.inputs(), batch.layout());
        let masked = mask_inputs(inputs, explained.maps()?, layout, MaskScaling::Relative)?.inputs;
        let call = format!(
            "what maps keep of {}",
            batch.dataset().call(&batch.samples())
        );
        explained.explain(masked.view(), &batch.targets(), |row| row, &call)
    }
}

/// Mean of the mask `(m − min m) / (max m − min m)` over the positions of a map. The magnitudes `m` must not all be
/// equal.
fn mean_of_mask(magnitudes: &[f64]) -> f64 {
    let (low, high) = magnitudes
        .iter()
        .fold((f64::INFINITY, 0.0f64), |(low, high), &m| {
            (low.min(m), high.max(m))
        });
    let kept = magnitudes.iter().map(|m| (m - low) / (high - low));
    kept.sum::<f64>() / magnitudes.len() as f64
}

/// Harmonic mean, with the limit value 0 if one of the values is 0.
fn harmonic_mean(values: [f64; 3]) -> f64 {
    if values.contains(&0.0) {
        return 0.0;
    }
    3.0 / values.iter().map(|value| 1.0 / value).sum::<f64>()
}

impl<T: Real> Measure<T> for Adcc {
    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.base_scores();
        plan.masked_scores();
        plan.explained(&MapsOfMasked, plan.n_samples());
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let drop = AverageDrop::new().base_score_policy(self.base_score_policy);
        let drops = Measure::<T>::per_sample(&drop, explained)?;
        let magnitudes = explained.magnitudes()?;
        let again = explained.shared(&MapsOfMasked)?;
        // Stored maps may lack the channels of those that the explainer computes; a correlation needs the same
        // elements.
        if again.shape() != explained.maps()?.shape() {
            let (expected, actual) = (explained.maps()?, again.shape());
            return Err(Error::shape(input::EXPLANATIONS, expected.shape(), actual));
        }
        let again = position_magnitudes(again.view(), &batch.shape(), batch.layout())?;
        let size = magnitudes.len() / batch.n_samples();
        let samples = magnitudes.chunks_exact(size).zip(again.chunks_exact(size));
        let values = samples.zip(drops).map(|((map, again), drop)| {
            // The correlation is undefined for a constant map, so that the mask below always has a range to scale by.
            let coherency = (1.0 + Correlation::Pearson.correlate_finite(map, again)?) / 2.0;
            Some(harmonic_mean([
                coherency,
                1.0 - mean_of_mask(map),
                1.0 - drop?,
            ]))
        });
        Ok(values.collect())
    }
}

registered!(Adcc);
