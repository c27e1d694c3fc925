use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::selection::Selection;
use crate::values::Best::Largest;
use crate::values::CounterfactualValues;

/// Share of the models, or agreement of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ModelScore {
    /// The share of the models.
    #[default]
    Mean,
    /// 1 if every model agrees, otherwise 0.
    All,
}

/// Share of other models that assign a counterfactual to its class.
///
/// ```text
/// |{ j : f_j(x') = class(x') }| / J;  all: [every model does]
/// ```
///
/// In [0, 1], **higher is better**. Other models are retrained ones, with other seeds, data or architectures.
///
/// # Extremes
/// 1: it stays valid under every model. 0: under none.
///
/// # Limits
/// It says as much about how alike the models are.
///
/// # Source
/// Pawelczyk et al., *On counterfactual explanations under predictive multiplicity*, 2020; Jiang et al., *RobustX*,
/// 2025.
///
/// # Elsewhere
/// `robustx.ModelMultiplicityRobustnessEvaluator`
#[metric(
    name = "model-validity",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::MODEL_PREDICTIONS, input::ROW_CLASS],
    example = 0.75,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct ModelValidity {
    /// Share of the models, or agreement of all.
    score: ModelScore,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for ModelValidity {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let predictions = data.require_predictions(input::MODEL_PREDICTIONS)?;
        let classes = data.row_class()?;
        Ok(data.values(self.selection, Largest, |row, _, _| {
            let models = predictions.column(row);
            let n_agree = models
                .iter()
                .filter(|&&class| class == classes[row])
                .count();
            Some(match self.score {
                ModelScore::Mean => n_agree as f64 / models.len() as f64,
                ModelScore::All => f64::from(n_agree == models.len()),
            })
        }))
    }
}
