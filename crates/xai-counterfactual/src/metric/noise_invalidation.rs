use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::selection::Selection;
use crate::values::Best::Smallest;
use crate::values::CounterfactualValues;

/// Share of noisy copies of a counterfactual that lose its class.
///
/// ```text
/// |{ s : f(x' + noise_s) ≠ class(x') }| / S
/// ```
///
/// In [0, 1], **lower is better**.
///
/// # Extremes
/// 0: noise changes no prediction. 1: every copy is predicted as another class.
///
/// # Limits
/// The share depends on the size of the noise, which belongs beside the number.
///
/// # Source
/// Pawelczyk et al., *Probabilistically robust recourse*, 2022 (recourse invalidation rate).
#[metric(
    name = "noise-invalidation",
    direction = Direction::Lower,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::NOISY_PREDICTIONS, input::ROW_CLASS],
    example = 0.25,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct NoiseInvalidation {
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for NoiseInvalidation {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let noisy = data.require_predictions(input::NOISY_PREDICTIONS)?;
        let classes = data.row_class()?;
        Ok(data.values(self.selection, Smallest, |row, _, _| {
            let copies = noisy.row(row);
            let n_lost = copies
                .iter()
                .filter(|&&class| class != classes[row])
                .count();
            Some(n_lost as f64 / copies.len() as f64)
        }))
    }
}
