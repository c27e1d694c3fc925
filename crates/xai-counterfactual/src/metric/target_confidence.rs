use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::selection::Selection;
use crate::values::Best::Largest;
use crate::values::CounterfactualValues;

/// Probability of the target, or its gain over the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ConfidenceScore {
    /// The probability of the target at the counterfactual.
    #[default]
    Value,
    /// Gain over the probability at the query.
    Gain,
}

/// Probability of the target class at the counterfactual.
///
/// ```text
/// value: p_t(x')   gain: p_t(x') − p_t(x)
/// ```
///
/// In [0, 1], the gain in [−1, 1], **higher is better**.
///
/// # Extremes
/// 1: the model is certain of the target. 0: it excludes it. A gain below 0: the query was closer to the target.
///
/// # Limits
/// Probabilities of models that are not calibrated are comparable only within one model.
///
/// # Source
/// Höllig et al., *TSInterpret*, 2023 (soft validity).
#[metric(
    name = "target-confidence",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::P_TARGET],
    example = 0.625,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct TargetConfidence {
    /// Probability of the target, or its gain over the query.
    score: ConfidenceScore,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for TargetConfidence {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let after = data.require_numbers(input::P_TARGET)?;
        let before = match self.score {
            ConfidenceScore::Value => None,
            ConfidenceScore::Gain => Some(data.require_numbers(input::P_TARGET_QUERY)?),
        };
        Ok(data.values(self.selection, Largest, |row, _, _| {
            Some(after[row] - before.map_or(0.0, |before| before[data.query[row]]))
        }))
    }
}
