//! How far the outputs move without the top features.

use xai_core::Result;
use xai_core::describe::{
    Direction, Invariance, MetricInfo, Parameter, Parameters, Range, Reading,
};

use crate::metric::{OutputFormula, OutputMetric, OutputPair, SCORE_NEEDS};

/// Which outputs of the model count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "of")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum CountedOutputs {
    /// All of them: the sum over them.
    #[default]
    All,
    /// That of the target.
    Target,
}

impl CountedOutputs {
    /// The sum of something of how far outputs move.
    fn sum(self, outputs: &OutputPair<'_>, of: impl Fn(f64) -> f64) -> Option<f64> {
        let sum = match self {
            Self::All => {
                let outputs = [outputs.before, outputs.after].map(|of| of.activated.all);
                let pairs = outputs[0].iter().zip(outputs[1]);
                pairs.map(|(before, after)| of(before - after)).sum()
            }
            Self::Target => of(outputs.before.activated.target - outputs.after.activated.target),
        };
        Some(sum).filter(|sum: &f64| sum.is_finite())
    }
}

/// How far do the outputs of the model move without the top features?
///
/// ```text
/// MAE_i = Σ over outputs of |f(x_i) − f(x_i without the top)|
/// ```
///
/// In [0, ∞) in units of the outputs, after the activation, **higher is better**: the top matters. With
/// [`keep`](OutputMetric::keep) the top alone is left and lower is better. It is a sum over outputs, of the target alone with
/// [`CountedOutputs::Target`], and a mean over samples: for regression and forecasts.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::{CountedOutputs, OutputMae}};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let sums = batch.sum_axis(ndarray::Axis(1)).into_dimensionality::<ndarray::Ix1>().unwrap();
///     Ok(ndarray::stack![ndarray::Axis(1), sums, &sums * 2.0])
/// };
/// let x = array![[3.0, 1.0]];
/// let of = |metric: OutputMae| metric.top(0.5).evaluate(&model, x.view(), &[0], x.view());
/// assert_eq!(of(OutputMae::new())?.value, 3.0 + 6.0);
/// assert_eq!(of(OutputMae::new().of(CountedOutputs::Target))?.value, 3.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Enguehard, *Time Interpret: a Unified Model Interpretability Library for Time Series*, 2023, where lower is said to be better, which
/// holds for the top alone.
pub type OutputMae = OutputMetric<AbsoluteChange>;

/// The formula of [`OutputMae`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = OutputMae, at = formula)]
pub struct AbsoluteChange {
    /// Which outputs count: all, or that of the target.
    of: CountedOutputs,
}

impl OutputFormula for AbsoluteChange {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "output-mae",
        title: "Output MAE",
        question: "How far do the outputs of the model move without the top features?",
        direction: Direction::Higher,
        invariance: Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
        range: Range::NON_NEGATIVE,
        needs: SCORE_NEEDS,
        source: "Enguehard, Time Interpret: a Unified Model Interpretability Library for Time Series, 2023",
        reading: Reading {
            formula: "Σ over outputs of |f(x) − f(x without the top)|",
            extremes: "0: the top does not matter to any output. No upper end: in the units of the outputs.",
            limits: "It grows with the number and the scale of the outputs, so that models do not compare, and a change in favour of the target counts as one against it.",
            peers: &["tint.mae"],
            example: Some(0.1494),
        },
    };

    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>> {
        Ok(self.of.sum(outputs, f64::abs))
    }
}

/// How far do the outputs of the model move without the top features, large moves counting more?
///
/// ```text
/// MSE_i = Σ over outputs of (f(x_i) − f(x_i without the top))²
/// ```
///
/// As [`OutputMae`](crate::metric::OutputMae), of squares.
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
/// # Source
/// As [`OutputMae`](crate::metric::OutputMae).
pub type OutputMse = OutputMetric<SquaredChange>;

/// The formula of [`OutputMse`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = OutputMse, at = formula)]
pub struct SquaredChange {
    /// Which outputs count: all, or that of the target.
    of: CountedOutputs,
}

impl OutputFormula for SquaredChange {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "output-mse",
        title: "Output MSE",
        question: "How far do the outputs of the model move without the top features, large moves counting more?",
        reading: Reading {
            formula: "Σ over outputs of (f(x) − f(x without the top))²",
            extremes: "0: the top does not matter to any output. No upper end: in the squared units of the outputs.",
            limits: "It grows with the number and the scale of the outputs, so that models do not compare, and a few large moves decide.",
            peers: &["tint.mse"],
            example: Some(0.019),
        },
        ..*AbsoluteChange::INFO
    };

    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>> {
        Ok(self.of.sum(outputs, |change| change * change))
    }
}
