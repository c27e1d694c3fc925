//! Probability of the target after the top features are removed.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::metric::{OutputFormula, OutputMetric, OutputPair, OutputScale, SCORE_NEEDS};

/// Change of the log-probability of the target when the top features are removed.
///
/// ```text
/// log p(x without the top) − log p(x), p the probability of the target
/// ```
///
/// In (−∞, ∞), **lower is better**: the probability of the target falls. With [`keep`](OutputMetric::keep), only the
/// top is left and higher is better. Probabilities are the outputs after the activation of the run: a softmax, or a
/// sigmoid of each output. Without an activation, they are the outputs themselves if these are
/// [probabilities](OutputScale), otherwise their softmax, or the sigmoid of a single output. For logits,
/// log-probabilities are computed without rounding small probabilities to 0, and the value is finite; if outputs are
/// probabilities, a sample whose target has the probability 0 before or after the removal has no value.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::LogOdds};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let x = array![[3.0, 0.0]];
/// let value = LogOdds::new().top(0.5).evaluate(&model, x.view(), &[0], x.view())?.value;
/// // Two equal logits have the probability 1/2 each; before, it was 1 / (1 + e^−3).
/// assert!((value - (0.5_f64.ln() + (-3.0_f64).exp().ln_1p())).abs() < 1e-15);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// Far below 0: without the top, the model no longer predicts the target. 0 or above: the top does not matter.
///
/// # Limits
/// The logarithm of small probabilities has no bound, so that a few samples can dominate the mean. Inputs without the
/// top are unlike the training data.
///
/// # Source
/// Shrikumar et al., *Learning Important Features Through Propagating Activation Differences*, 2017.
///
/// `time_interpret` takes the logarithm of a softmax, which is −∞ for small probabilities, and rounds shares
/// [down](crate::perturbation::ShareRounding::Down).
///
/// # Elsewhere
/// `tint.log_odds`
#[metric(
    name = "log-odds",
    title = "Log-odds",
    describes = LogProbabilityRise,
    direction = Direction::Lower,
    range = Range::REAL,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = -0.0393,
)]
pub type LogOdds = OutputMetric<LogProbabilityRise>;

/// The formula of [`LogOdds`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = LogOdds, at = formula)]
pub struct LogProbabilityRise {
    /// Scale of the model's outputs, for runs without an activation.
    answers: OutputScale,
}

impl OutputFormula for LogProbabilityRise {
    fn output_scale(&self) -> Option<OutputScale> {
        Some(self.answers)
    }

    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>> {
        let [before, after] = outputs.log_probs()?;
        Ok(before.zip(after).map(|(before, after)| after - before))
    }
}

/// Cross-entropy of the target when the top features are removed, in nats.
///
/// ```text
/// −log p(x without the top), p the probability of the target
/// ```
///
/// In [0, ∞), **higher is better**: the probability of the target falls. With [`keep`](OutputMetric::keep), only the
/// top is left and lower is better. Probabilities are those of [`LogOdds`](crate::metric::LogOdds); the probability for
/// the whole input is not part of the value.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::CrossEntropy};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let x = array![[3.0, 0.0]];
/// let value = CrossEntropy::new().top(0.5).evaluate(&model, x.view(), &[0], x.view())?.value;
/// assert!((value - 2.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: without the top, the target still has the probability 1. ln n_classes: all classes have the same probability.
///
/// # Limits
/// If the target has a low probability for the whole input, the value is high for any map (log-odds account for that).
/// Inputs without the top are unlike the training data.
///
/// # Source
/// Enguehard, *Time Interpret: a Unified Model Interpretability Library for Time Series*, 2023.
///
/// # Elsewhere
/// `tint.cross_entropy`
#[metric(
    name = "cross-entropy",
    title = "Cross-entropy",
    describes = TargetSurprise,
    direction = Direction::Higher,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.7487,
)]
pub type CrossEntropy = OutputMetric<TargetSurprise>;

/// The formula of [`CrossEntropy`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = CrossEntropy, at = formula)]
pub struct TargetSurprise {
    /// Scale of the model's outputs, for runs without an activation.
    answers: OutputScale,
}

impl OutputFormula for TargetSurprise {
    fn output_scale(&self) -> Option<OutputScale> {
        Some(self.answers)
    }

    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>> {
        let [_, after] = outputs.log_probs()?;
        // `abs` negates, because a log-probability is never positive, and gives 0 instead of −0 for the probability 1.
        Ok(after.map(f64::abs))
    }
}
