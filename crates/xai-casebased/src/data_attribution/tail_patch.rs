//! Effect of one training step on a top case.

use ndarray::ArrayView2;
use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::number::{check_domain, elementary};
use xai_core::tensor::check_shape;
use xai_core::{ExactMean, Result};

use crate::data_attribution::values::TestCaseValues;
use crate::input;

/// Mean rise of the target's probability after one training step on a top training row.
///
/// ```text
/// mean over the k top cases of p_t(after one step on the case) − p_t
/// ```
///
/// `log_prob`, `(n_test,)`, are the log-probabilities of the targets under the trained model, and `log_prob_after`,
/// `(n_test, k)`, those after one step on each of the `k` top cases, always from the trained model. **Higher is
/// better**, 0 = the steps change nothing. Undefined without top cases. Use plain gradient descent: the first step
/// of Adam has the same size for every gradient.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::TailPatch;
/// let (before, after) = ([0.25f64.ln()], array![[0.5f64.ln(), 0.25f64.ln()]]);
/// let value = TailPatch::new().evaluate(&before, after.view())?.value.unwrap();
/// assert!((value - 0.125).abs() < 1e-15);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 0: the steps change nothing. Above 0: they make the target more probable.
///
/// # Limits
/// It depends on the learning rate and the optimiser. Adam's first step has the same size for every gradient.
///
/// # Source
/// Chang et al., *Scalable Influence and Fact Tracing for Large Language Model Pretraining*, 2024.
///
/// # Elsewhere
/// `quanda.TailPatchMetric`
#[metric(
    name = "tail-patch",
    direction = Direction::Higher,
    range = Range::REAL,
    needs = &[input::LOG_PROB, input::LOG_PROB_AFTER],
    example = 0.0469,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct TailPatch {
    /// Scale on which the change is measured.
    scale: TailPatchScale,
}

/// Scale on which a change is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameter)]
#[non_exhaustive]
pub enum TailPatchScale {
    /// Differences of probabilities, in [−1, 1]. Probabilities of long sequences underflow to 0.
    #[default]
    Probability,
    /// Differences of log-probabilities.
    LogProbability,
}

impl TailPatch {
    /// Computes the mean change for every test case.
    ///
    /// # Errors
    /// `ShapeMismatch` unless both arrays have one row per test case; `NonFinite` for a log-probability that is not
    /// finite, `OutOfDomain` for one above 0 by more than 10⁻⁶.
    pub fn evaluate(
        &self,
        log_prob: &[f64],
        log_prob_after: ArrayView2<'_, f64>,
    ) -> Result<TestCaseValues> {
        self.check_params()?;
        let (n, k) = (log_prob.len(), log_prob_after.ncols());
        check_shape(input::LOG_PROB_AFTER, &[n, k], log_prob_after.shape())?;
        // Rounding can raise the logarithm of a softmax slightly above 0.
        let is_log_prob = |value: f64| value <= 1e-6;
        let expected = "a log-probability, at most 0";
        check_domain(input::LOG_PROB, log_prob, is_log_prob, expected)?;
        let rows = log_prob_after.rows().into_iter().zip(log_prob).enumerate();
        let values = rows.map(|(t, (row, &before))| {
            let after = row.to_vec();
            check_domain(input::LOG_PROB_AFTER, &after, is_log_prob, expected).map_err(
                |error| {
                    let index = [t, error.index().first().copied().unwrap_or(0)];
                    error.at(&index)
                },
            )?;
            let change = |after: &f64| match self.scale {
                TailPatchScale::Probability => elementary::exp(*after) - elementary::exp(before),
                TailPatchScale::LogProbability => after - before,
            };
            Ok(after.iter().map(change).collect::<ExactMean>().value())
        });
        values.collect::<Result<_>>().map(TestCaseValues::new)
    }
}
