use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::selection::Selection;
use crate::values::Best::Smallest;
use crate::values::CounterfactualValues;

/// Reconstruction error by the target class's autoencoder relative to that by the query class's.
///
/// ```text
/// ‖x' − AE_t(x')‖² / (‖x' − AE_o(x')‖² + ε)
/// ```
///
/// At least 0, **lower is better**. Undefined if the divisor is 0.
///
/// # Extremes
/// 0: the target's autoencoder reproduces the counterfactual. 1: it does no better than that of the query's class.
///
/// # Limits
/// It says as much about the autoencoders as about the counterfactual.
///
/// # Source
/// Van Looveren and Klaise, *Interpretable counterfactual explanations guided by prototypes*, 2021.
#[metric(
    name = "im1",
    title = "IM1",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::RECONSTRUCTION_TARGET, input::RECONSTRUCTION_ORIGIN],
    example = 0.0556,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Im1 {
    /// Number that is added to the divisor; other implementations add 1e-8 to 1e-5.
    #[param(at_least = 0, default = 0.0)]
    epsilon: f64,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

/// Difference between the reconstructions by the target class's autoencoder and by that of all data.
///
/// ```text
/// ‖AE_t(x') − AE(x')‖² / (‖x'‖₁ + ε)
/// ```
///
/// At least 0, **lower is better**. Undefined if the divisor is 0.
///
/// # Extremes
/// 0: both autoencoders reproduce the counterfactual in the same way.
///
/// # Limits
/// The divisor depends on where 0 is in the data, and the value on the autoencoders.
///
/// # Source
/// Van Looveren and Klaise, *Interpretable counterfactual explanations guided by prototypes*, 2021.
#[metric(
    name = "im2",
    title = "IM2",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::RECONSTRUCTION_TARGET, input::RECONSTRUCTION_ALL],
    example = 0.125,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Im2 {
    /// Number that is added to the divisor; other implementations add 1e-8 to 1e-5.
    #[param(at_least = 0, default = 0.0)]
    epsilon: f64,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

fn squared_distance<'a>(
    a: impl IntoIterator<Item = &'a f64>,
    b: impl IntoIterator<Item = &'a f64>,
) -> f64 {
    a.into_iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

impl CounterfactualMetric for Im1 {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let target = data.require_table(input::RECONSTRUCTION_TARGET)?;
        let origin = data.require_table(input::RECONSTRUCTION_ORIGIN)?;
        Ok(data.values(self.selection, Smallest, |row, _, c| {
            let divisor = squared_distance(c, row_values(origin, row)) + self.epsilon;
            (divisor > 0.0).then(|| squared_distance(c, row_values(target, row)) / divisor)
        }))
    }
}

impl CounterfactualMetric for Im2 {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let target = data.require_table(input::RECONSTRUCTION_TARGET)?;
        let all = data.require_table(input::RECONSTRUCTION_ALL)?;
        Ok(data.values(self.selection, Smallest, |row, _, c| {
            let divisor = c.iter().map(|value| value.abs()).sum::<f64>() + self.epsilon;
            (divisor > 0.0)
                .then(|| squared_distance(row_values(target, row), row_values(all, row)) / divisor)
        }))
    }
}

fn row_values(
    table: ndarray::ArrayView2<'_, f64>,
    row: usize,
) -> ndarray::iter::Iter<'_, f64, ndarray::Ix1> {
    table.index_axis_move(ndarray::Axis(0), row).into_iter()
}
