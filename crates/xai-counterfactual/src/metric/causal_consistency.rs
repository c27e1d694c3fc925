use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::selection::Selection;
use crate::values::Best::Largest;
use crate::values::{CounterfactualValues, mean};

/// Share of the causal rules that a counterfactual triggers and keeps.
///
/// ```text
/// |rules that hold| / |rules whose cause moves in their direction|
/// ```
///
/// In [0, 1], **higher is better**. Undefined for a row that triggers no rule.
///
/// # Extremes
/// 1: every effect follows its cause. 0: none does.
///
/// # Limits
/// Rules are signs of changes, not amounts.
///
/// # Source
/// Mahajan et al., *Preserving causal constraints in counterfactual explanations*, 2019.
#[metric(
    name = "causal-consistency",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::CONSTRAINTS],
    example = 1.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct CausalConsistency {
    /// Largest difference that is no change.
    #[param(at_least = 0, default = 0.0)]
    tolerance: f64,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for CausalConsistency {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let rules = data.require_rules()?;
        Ok(data.values(self.selection, Largest, |_, x, c| {
            // Multiplied by the direction, a move is positive if it goes the way of the rule.
            let move_of =
                |column: usize, direction: i8| f64::from(direction) * (c[column] - x[column]);
            let triggered = rules
                .iter()
                .filter(|rule| move_of(rule.cause, rule.direction) > self.tolerance);
            mean(triggered.map(|rule| {
                let effect = move_of(rule.effect, rule.effect_direction);
                let holds = if rule.strict {
                    effect > self.tolerance
                } else {
                    effect >= -self.tolerance
                };
                Some(f64::from(holds))
            }))
        }))
    }
}
