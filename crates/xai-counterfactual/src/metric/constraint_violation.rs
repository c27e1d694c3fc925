use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::{CounterfactualMetric, per_row};
use crate::data::CounterfactualData;
use crate::input;
use crate::schema::{Change, Feature};
use crate::selection::Selection;
use crate::values::CounterfactualValues;

/// Unit of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ViolationScore {
    /// Rows that break any constraint.
    #[default]
    Rows,
    /// Constraints that a row breaks.
    Count,
    /// Constraints that a row breaks, as a share of those that there are.
    Features,
}

/// Share of the counterfactuals that change a feature in a way that it cannot change.
///
/// ```text
/// rows: [violations > 0]   count: violations   features: violations / |constrained features|
/// ```
///
/// In [0, 1] (`count`: up to the number of features), **lower is better**. Undefined if the schema constrains no feature.
///
/// # Extremes
/// 0: every counterfactual can be acted on. 1: none can.
///
/// # Limits
/// What the schema does not constrain is taken as free.
///
/// # Source
/// Ustun et al., *Actionable recourse in linear classification*, 2019; Pawelczyk et al., *CARLA*, 2021.
///
/// # Elsewhere
/// `carla.ConstraintViolation`, `ceval.actionability`
#[metric(
    name = "constraint-violation",
    direction = Direction::Lower,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::SCHEMA],
    example = 0.5,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct ConstraintViolation {
    /// Unit of counting: rows, constraints, or shares of the constraints.
    score: ViolationScore,
    /// Largest difference that is no change.
    #[param(at_least = 0, default = 0.0)]
    tolerance: f64,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for ConstraintViolation {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let bound: Vec<&Feature> = data
            .schema()
            .features()
            .iter()
            .filter(|feature| feature.change != Change::Any)
            .collect();
        Ok(per_row!(
            self,
            data,
            Smallest,
            |_: usize, x: &[f64], c: &[f64]| {
                let n_violated = bound
                    .iter()
                    .filter(|feature| feature.is_violated(x, c, self.tolerance))
                    .count();
                (!bound.is_empty()).then(|| match self.score {
                    ViolationScore::Rows => f64::from(n_violated > 0),
                    ViolationScore::Count => n_violated as f64,
                    ViolationScore::Features => n_violated as f64 / bound.len() as f64,
                })
            }
        ))
    }
}
