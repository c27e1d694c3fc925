use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};
use xai_neighbors::Nearest;

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::neighborhood::{Among, Wanted};
use crate::selection::Selection;
use crate::values::Best::Smallest;
use crate::values::{CounterfactualValues, mean};

/// The training rows among which neighbours are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "among")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum AmongRows {
    /// Training rows of the class of the counterfactual.
    #[default]
    Class,
    /// All.
    All,
}

/// Aggregation of the distances of the k nearest rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "reduce")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Reduce {
    /// Their mean.
    #[default]
    Mean,
    /// Distance of the k-th row.
    Last,
}

impl Reduce {
    pub(super) fn value(self, near: &[Nearest]) -> Option<f64> {
        match self {
            Self::Mean => mean(near.iter().map(|near| Some(near.distance))),
            Self::Last => near.last().map(|near| near.distance),
        }
    }
}

/// Mean distance of a counterfactual to its nearest training rows.
///
/// ```text
/// mean over the k nearest training rows r of d(x', r)
/// ```
///
/// At least 0, **lower is better**. Fewer rows than `k` are all taken; a class without rows has no value.
///
/// # Extremes
/// 0: the counterfactual is a training row. By `gower`, 1 is the distance between opposite corners of the training
/// data.
///
/// # Limits
/// Counterfactuals that are copied from the training data have distance 0 by construction.
///
/// # Source
/// Förster et al., *Evaluating explainable artificial intelligence*, 2021 (k nearest rows of the class); Dandl et al.,
/// *Multi-objective counterfactual explanations*, 2020 (nearest row).
///
/// # Elsewhere
/// `ceval.feasibility`, `ceval.kNLN_dist`
#[metric(
    name = "nearest-distance",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::TRAIN, input::TRAIN_LABELS, input::ROW_CLASS],
    example = 3.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct NearestDistance {
    /// Number of neighbours.
    #[param(at_least = 1, default = 5)]
    k: usize,
    /// Training rows among which neighbours are searched.
    among: AmongRows,
    /// Aggregation of the distances of the neighbours.
    reduce: Reduce,
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for NearestDistance {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let (classes, wanted) = match self.among {
            AmongRows::All => (None, Wanted::all(self.k)),
            AmongRows::Class => (Some(classes(data)?), Wanted::own(self.k)),
        };
        let neighbors = data.row_neighbors(self.distance, wanted)?;
        Ok(data.values(self.selection, Smallest, |row, _, _| {
            let class = classes.as_ref().map(|classes| classes[row]);
            let among = class.map_or(Among::All, Among::Class);
            self.reduce.value(&neighbors.nearest(row, among, self.k)?)
        }))
    }
}

/// The class of each counterfactual, for searches among training rows with classes.
pub(super) fn classes(data: &CounterfactualData<'_>) -> Result<Vec<i64>> {
    data.require_reference()?.labels()?;
    data.row_class()
}
