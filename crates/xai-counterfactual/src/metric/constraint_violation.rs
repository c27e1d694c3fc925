use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::schema::{Change, Schema};
use crate::selection::Selection;
use crate::values::Best::Smallest;
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
/// In [0, 1] (`count`: up to the number of features), **lower is better**. Undefined if the schema constrains no
/// feature.
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

impl ConstraintViolation {
    /// Returns the value of one counterfactual of a query; `None` if the schema constrains no feature.
    ///
    /// # Panics
    /// If a row lacks a column of the schema.
    #[must_use]
    pub fn between(&self, schema: &Schema, query: &[f64], counterfactual: &[f64]) -> Option<f64> {
        let features = schema.features().iter();
        let mut bound = features
            .filter(|feature| feature.change != Change::Any)
            .peekable();
        bound.peek()?;
        let (mut n_bound, mut n_violated) = (0_u32, 0_u32);
        for feature in bound {
            n_bound += 1;
            n_violated += u32::from(feature.is_violated(query, counterfactual, self.tolerance));
        }
        Some(match self.score {
            ViolationScore::Rows => f64::from(n_violated > 0),
            ViolationScore::Count => f64::from(n_violated),
            ViolationScore::Features => f64::from(n_violated) / f64::from(n_bound),
        })
    }
}

impl CounterfactualMetric for ConstraintViolation {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        Ok(data.values(self.selection, Smallest, |_, x, c| {
            self.between(data.schema(), x, c)
        }))
    }
}
