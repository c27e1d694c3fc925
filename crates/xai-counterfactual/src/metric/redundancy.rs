use ndarray::Array2;
use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::tensor::check_shape;

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::selection::Selection;
use crate::values::{Best, CounterfactualValues};

/// Rows per call of the model.
const BATCH: usize = 4096;

/// The unit of the number of redundant changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum RedundancyScore {
    /// A share of the changed features.
    #[default]
    Share,
    /// The number.
    Count,
}

/// Share of the changed features that could go back without another prediction.
///
/// ```text
/// |{ j changed : f(x' with x_j) = f(x') }| / |changed|
/// ```
///
/// In [0, 1] (`count`: up to the number of features), **lower is better**. Each feature goes back alone, a one-hot
/// group as a whole. The share is undefined if nothing changed. The model is called in batches, with the
/// counterfactuals that count and with one row per changed feature.
///
/// # Extremes
/// 0: every change is needed. 1: each one alone could go back.
///
/// # Limits
/// Two changes that are each redundant may be needed together.
///
/// # Source
/// Pawelczyk et al., *CARLA*, 2021 (redundancy); Dandl et al., *Multi-objective counterfactual explanations*, 2020
/// (minimality).
///
/// # Elsewhere
/// `carla.Redundancy`
#[metric(
    name = "redundancy",
    direction = Direction::Lower,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::MODEL],
    example = 0.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct Redundancy {
    /// The unit: a share of the changed features, or their number.
    score: RedundancyScore,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for Redundancy {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let features = data.schema().features();
        // Only rows that count are worth a call of the model.
        let counted: Vec<usize> = data.members(self.selection.rows).concat();
        let predicted = predict(data, counted.iter().map(|&row| data.row(row).to_vec()))?;
        let changed: Vec<Vec<usize>> = counted
            .iter()
            .map(|&row| {
                data.schema()
                    .changed(data.query_row(data.query[row]), data.row(row), 0.0)
            })
            .collect();
        // The reverted rows of all counterfactuals are one sequence, made on demand, so that calls of the model are
        // full and memory holds one batch.
        let reverted = counted.iter().zip(&changed).flat_map(|(&row, changed)| {
            changed.iter().map(move |&feature| {
                let mut back = data.row(row).to_vec();
                for &column in &features[feature].columns {
                    back[column] = data.query_row(data.query[row])[column];
                }
                back
            })
        });
        let mut answers = predict(data, reverted)?.into_iter();
        let mut values = vec![None; data.n_rows()];
        for ((&row, own), changed) in counted.iter().zip(&predicted).zip(&changed) {
            // Answers come in the order of the reverted rows: one per changed feature of each row.
            let n_redundant = answers
                .by_ref()
                .take(changed.len())
                .filter(|answer| answer == own)
                .count();
            values[row] = match self.score {
                RedundancyScore::Count => Some(n_redundant as f64),
                RedundancyScore::Share => {
                    (!changed.is_empty()).then(|| n_redundant as f64 / changed.len() as f64)
                }
            };
        }
        Ok(CounterfactualValues::per_row(
            values,
            self.selection,
            Best::Smallest,
            data,
        ))
    }
}

/// The classes of rows, by the model, in batches.
fn predict(
    data: &CounterfactualData<'_>,
    rows: impl Iterator<Item = Vec<f64>>,
) -> Result<Vec<i64>> {
    let model = data.require_model()?;
    let mut rows = rows.peekable();
    let mut classes = Vec::new();
    while rows.peek().is_some() {
        let batch: Vec<Vec<f64>> = rows.by_ref().take(BATCH).collect();
        let shape = (batch.len(), data.schema().n_columns());
        let batch = Array2::from_shape_vec(shape, batch.concat())
            .expect("rows have the columns of the schema");
        let answers = model(batch.view())?;
        check_shape(input::MODEL, &[shape.0], &[answers.len()])?;
        classes.extend(answers);
    }
    Ok(classes)
}
