use xai_core::Result;
use xai_core::describe::{Parameters, metric};
use xai_neighbors::Nearest;

use super::CounterfactualMetric;
use super::nearest_distance::classes;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::neighborhood::{Among, Wanted};
use crate::selection::Selection;
use crate::values::Best::Largest;
use crate::values::CounterfactualValues;

/// Share of the nearest training rows with the class of the counterfactual.
///
/// ```text
/// |{ r in k nearest of x' : class(r) = class(x') }| / k
/// ```
///
/// In [0, 1], **higher is better**.
///
/// # Extremes
/// 1: all neighbours have the class. 0: none has. By chance it is the share of the class in the training data.
///
/// # Limits
/// A rare class has few neighbours anywhere; compare methods on the same queries.
///
/// # Source
/// Pawelczyk et al., *On counterfactual explanations under predictive multiplicity*, 2020.
///
/// # Elsewhere
/// `carla.YNN`, `ceval.yNN`
#[metric(
    name = "ynn",
    title = "yNN",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::TRAIN, input::TRAIN_LABELS, input::ROW_CLASS],
    example = 0.5,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct Ynn {
    /// Number of neighbours.
    #[param(at_least = 1, default = 5)]
    k: usize,
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for Ynn {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let (classes, labels) = (classes(data)?, data.require_reference()?.labels()?);
        let neighbors = data.row_neighbors(self.distance, Wanted::all(self.k))?;
        Ok(data.values(self.selection, Largest, |row, _, _| {
            let near = neighbors.nearest(row, Among::All, self.k)?;
            let is_same = |near: &&Nearest| labels[near.index] == classes[row];
            Some(near.iter().filter(is_same).count() as f64 / near.len() as f64)
        }))
    }
}
