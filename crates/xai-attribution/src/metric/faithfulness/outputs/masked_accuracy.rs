//! Accuracy of the model after the top features are removed.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};
use xai_core::output::arg_max;

use crate::metric::{OutputFormula, OutputMetric, OutputPair, OutputScale, SCORE_NEEDS};

/// Accuracy for the target after the top features are removed.
///
/// ```text
/// 1[argmax f(x without the top) = target]
/// ```
///
/// The value of a sample is 1 if the largest output is that of the target (ties go to the lower class), otherwise 0.
/// With a [`threshold`](OutputMetric::threshold), it is 1 if the probability of the target is at least the threshold; a
/// model with a single output always has one, 0.5 by default. In [0, 1], **lower is better**: the model no longer
/// predicts the target. With [`keep`](OutputMetric::keep), only the top is left and higher is better.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::MaskedAccuracy};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let x = array![[3.0, 2.0, 1.0], [9.0, 0.0, -1.0]];
/// let values = |metric: MaskedAccuracy| {
///     metric.top(0.3).evaluate(&model, x.view(), &[0, 0], x.view()).map(|value| value.per_sample)
/// };
/// // With their first logit set to 0, these are (0, 2, 1) and (0, 0, −1).
/// assert_eq!(values(MaskedAccuracy::new())?, [Some(0.0), Some(1.0)]);
/// assert_eq!(values(MaskedAccuracy::new().threshold(Some(0.5)))?, [Some(0.0), Some(0.0)]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: without the top, the model never predicts the target. 1: it always does.
///
/// # Limits
/// The confidence of the prediction does not count, and the baseline itself may look like one of the classes.
///
/// # Source
/// Enguehard, *Time Interpret: a Unified Model Interpretability Library for Time Series*, 2023.
///
/// The accuracy of `time_interpret` is the one with a threshold of 0.5. With several classes, the target can have the
/// largest output with a probability below that.
///
/// # Elsewhere
/// `tint.accuracy`
#[metric(
    name = "masked-accuracy",
    describes = AnswerKept,
    direction = Direction::Lower,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.0,
)]
pub type MaskedAccuracy = OutputMetric<AnswerKept>;

/// The formula of [`MaskedAccuracy`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameters)]
#[params(of = MaskedAccuracy, at = formula)]
pub struct AnswerKept {
    /// Scale of the model's outputs, for runs without an activation.
    answers: OutputScale,
    /// Smallest probability of the target that counts as a prediction of the target.
    #[param(
        above = 0,
        at_most = 1,
        none = "none",
        none_doc = "The target must have the largest output."
    )]
    threshold: Option<f64>,
}

impl OutputFormula for AnswerKept {
    fn output_scale(&self) -> Option<OutputScale> {
        Some(self.answers)
    }

    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>> {
        let after = outputs.after;
        // The largest of one output is always that output, so a single output needs a threshold.
        let single_output = (after.raw.all.len() == 1).then_some(0.5);
        let is_kept = match self.threshold.or(single_output) {
            None => arg_max(after.raw.all) == Some(after.class),
            Some(threshold) => {
                let [_, log_prob] = outputs.log_probs()?;
                log_prob.is_some_and(|log_prob| log_prob.exp() >= threshold)
            }
        };
        Ok(Some(f64::from(u8::from(is_kept))))
    }
}
