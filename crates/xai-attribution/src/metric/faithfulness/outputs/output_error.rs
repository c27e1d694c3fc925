//! Changes of the model's outputs after the top features are removed.

use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use crate::metric::{OutputFormula, OutputMetric, OutputPair, SCORE_NEEDS};

/// Outputs of the model that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "of")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum CountedOutputs {
    /// All outputs: the changes are summed.
    #[default]
    All,
    /// Only the output for the target.
    Target,
}

impl CountedOutputs {
    /// Returns the sum of `loss(before − after)` over the outputs; `None` if it is not finite.
    fn sum(self, outputs: &OutputPair<'_>, loss: impl Fn(f64) -> f64) -> Option<f64> {
        let (before, after) = (outputs.before.activated, outputs.after.activated);
        let sum: f64 = match self {
            Self::All => {
                let pairs = before.all.iter().zip(after.all);
                pairs.map(|(before, after)| loss(before - after)).sum()
            }
            Self::Target => loss(before.target - after.target),
        };
        sum.is_finite().then_some(sum)
    }
}

/// Sum of the absolute changes of the model's outputs after the top features are removed.
///
/// ```text
/// Σ over outputs of |f(x) − f(x without the top)|
/// ```
///
/// In [0, ∞) in units of the outputs, after the activation, **higher is better**: the top matters. With
/// [`keep`](OutputMetric::keep), only the top is left and lower is better. The changes are summed over all outputs, or
/// only that of the target is used ([`CountedOutputs::Target`]), and averaged over samples. It is meant for regression
/// and forecasts.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::{CountedOutputs, OutputMae}};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let sums = batch.sum_axis(ndarray::Axis(1)).into_dimensionality::<ndarray::Ix1>().unwrap();
///     Ok(ndarray::stack![ndarray::Axis(1), sums, &sums * 2.0])
/// };
/// let x = array![[3.0, 1.0]];
/// let evaluate = |metric: OutputMae| metric.top(0.5).evaluate(&model, x.view(), &[0], x.view());
/// assert_eq!(evaluate(OutputMae::new())?.value, 3.0 + 6.0);
/// assert_eq!(evaluate(OutputMae::new().of(CountedOutputs::Target))?.value, 3.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the top does not matter to any output. There is no upper end: the unit is that of the outputs.
///
/// # Limits
/// It grows with the number and the scale of the outputs, so that values of different models are not comparable. A
/// change in favour of the target counts like one against it.
///
/// # Source
/// Enguehard, *Time Interpret: a Unified Model Interpretability Library for Time Series*, 2023.
///
/// The paper calls lower values better, which holds only when the top features are kept.
///
/// # Elsewhere
/// `tint.mae`
#[metric(
    name = "output-mae",
    title = "Output MAE",
    describes = AbsoluteChange,
    direction = Direction::Higher,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.1494,
)]
pub type OutputMae = OutputMetric<AbsoluteChange>;

/// The formula of [`OutputMae`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = OutputMae, at = formula)]
pub struct AbsoluteChange {
    /// Outputs that count: all, or only that of the target.
    of: CountedOutputs,
}

impl OutputFormula for AbsoluteChange {
    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>> {
        Ok(self.of.sum(outputs, f64::abs))
    }
}

/// Sum of the squared changes of the model's outputs after the top features are removed.
///
/// ```text
/// Σ over outputs of (f(x) − f(x without the top))²
/// ```
///
/// As [`OutputMae`](crate::metric::OutputMae), with squared changes.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::OutputMse};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let x = array![[3.0, 1.0]];
/// assert_eq!(OutputMse::new().top(1.0).evaluate(&model, x.view(), &[0], x.view())?.value, 9.0 + 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the top does not matter to any output. There is no upper end: the unit is that of the outputs, squared.
///
/// # Limits
/// It grows with the number and the scale of the outputs, so that values of different models are not comparable, and a
/// few large changes dominate it.
///
/// # Source
/// Enguehard, Time Interpret: a Unified Model Interpretability Library for Time Series, 2023.
///
/// # Elsewhere
/// `tint.mse`
#[metric(
    name = "output-mse",
    title = "Output MSE",
    describes = SquaredChange,
    direction = Direction::Higher,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.019,
)]
pub type OutputMse = OutputMetric<SquaredChange>;

/// The formula of [`OutputMse`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = OutputMse, at = formula)]
pub struct SquaredChange {
    /// Outputs that count: all, or only that of the target.
    of: CountedOutputs,
}

impl OutputFormula for SquaredChange {
    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>> {
        Ok(self.of.sum(outputs, |change| change * change))
    }
}
