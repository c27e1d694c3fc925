use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::schema::Schema;
use crate::selection::Selection;
use crate::values::Best::Smallest;
use crate::values::CounterfactualValues;

/// The unit of the number of changed features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SparsityScore {
    /// A share of the features.
    #[default]
    Share,
    /// The number (L0).
    Count,
}

/// Share of the features that a counterfactual changes.
///
/// ```text
/// |changed features| / p;  count: |changed features|
/// ```
///
/// In [0, 1], **lower is better**. A one-hot group is one feature. DiCE and cfbench report the share that is *not*
/// changed.
///
/// # Extremes
/// 0: nothing changes. 1: every feature does.
///
/// # Limits
/// Small and large changes count alike.
///
/// # Source
/// Mothilal et al., *Explaining machine learning classifiers through diverse counterfactual explanations*, 2020.
///
/// # Elsewhere
/// `ceval.sparsity`, `cel.Sparsity`
#[metric(
    name = "sparsity",
    direction = Direction::Lower,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS],
    example = 0.5,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Sparsity {
    /// The unit: a share of the features, or their number.
    score: SparsityScore,
    /// Largest difference that is no change.
    #[param(at_least = 0, default = 0.0)]
    tolerance: f64,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl Sparsity {
    /// Returns the value of one counterfactual of a query.
    ///
    /// # Panics
    /// If a row lacks a column of the schema.
    #[must_use]
    pub fn between(&self, schema: &Schema, query: &[f64], counterfactual: &[f64]) -> f64 {
        let n_changed = schema.changed(query, counterfactual, self.tolerance).len() as f64;
        match self.score {
            SparsityScore::Share => n_changed / schema.features().len() as f64,
            SparsityScore::Count => n_changed,
        }
    }
}

impl CounterfactualMetric for Sparsity {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        Ok(data.values(self.selection, Smallest, |_, x, c| {
            Some(self.between(data.schema(), x, c))
        }))
    }
}
