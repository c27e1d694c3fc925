//! Whether the model keeps its answer without the top features.

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
/// `1` where the largest output is that of the target (ties to the lower class), else `0`; with a
/// [`threshold`](OutputMetric::threshold) where the target's probability is at least that, as for a model of one output, whose
/// threshold is 0.5 by default. In [0, 1], **lower is better**: the model loses its answer. With [`keep`](OutputMetric::keep) the top
/// alone is left and higher is better.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::MaskedAccuracy};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let x = array![[3.0, 2.0, 1.0], [9.0, 0.0, -1.0]];
/// let of = |metric: MaskedAccuracy| {
///     metric.top(0.3).evaluate(&model, x.view(), &[0, 0], x.view()).map(|value| value.per_sample)
/// };
/// // Without their first logit these are (0, 2, 1) and (0, 0, −1).
/// assert_eq!(of(MaskedAccuracy::new())?, [Some(0.0), Some(1.0)]);
/// assert_eq!(of(MaskedAccuracy::new().threshold(Some(0.5)))?, [Some(0.0), Some(0.0)]);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: without the top the model never gives the target. 1: it always does.
///
/// # Limits
/// How sure the model stays does not count, and removed features may stand for a class of their own.
///
/// # Source
/// Enguehard, *Time Interpret: a Unified Model Interpretability Library for Time Series*, 2023.
///
/// `time_interpret` calls accuracy what a threshold of 0.5 gives: of several classes an answer may stay with less.
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
    /// From which probability of the target on the answer counts as kept.
    #[param(
        above = 0,
        at_most = 1,
        none = "none",
        none_doc = "Where the target has the largest output."
    )]
    threshold: Option<f64>,
}

impl OutputFormula for AnswerKept {
    fn output_scale(&self) -> Option<OutputScale> {
        Some(self.answers)
    }

    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>> {
        let after = outputs.after;
        let of_one = (after.raw.all.len() == 1).then_some(0.5);
        let is_kept = match self.threshold.or(of_one) {
            None => arg_max(after.raw.all) == Some(after.class),
            Some(threshold) => {
                let [_, log_prob] = outputs.log_probs()?;
                log_prob.is_some_and(|log_prob| log_prob.exp() >= threshold)
            }
        };
        Ok(Some(f64::from(u8::from(is_kept))))
    }
}
