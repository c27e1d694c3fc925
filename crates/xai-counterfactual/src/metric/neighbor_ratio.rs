use xai_core::describe::{Parameters, metric};
use xai_core::{Result, parallel};
use xai_neighbors::Nearest;

use super::CounterfactualMetric;
use super::nearest_distance::classes;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::neighborhood::{Among, Wanted};
use crate::selection::Selection;
use crate::values::{Best, CounterfactualValues};

/// Distance of a counterfactual to its class relative to the distance of that class to others.
///
/// ```text
/// d(x', NLN) / d(NLN, NUN(NLN))
/// ```
///
/// At least 0, **lower is better**. NLN is the nearest training row of the counterfactual's class, NUN(NLN) the
/// nearest row of another class to it. Undefined without either, and if both are equal.
///
/// # Extremes
/// 0: the counterfactual is a training row. 1: it is as far from its class as its neighbour is from other classes.
///
/// # Limits
/// One pair of training rows decides; [`TrustScore`](super::TrustScore) is steadier. Kept for users of CEval.
///
/// # Source
/// Artelt and Gregor, *`CEval`: a benchmark for evaluating counterfactual explanations*, 2023 (plausibility).
///
/// # Elsewhere
/// `ceval.plausibility`
#[metric(
    name = "neighbor-ratio",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::TRAIN, input::TRAIN_LABELS, input::ROW_CLASS],
    example = 0.4167,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct NeighborRatio {
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for NeighborRatio {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let row_classes = classes(data)?;
        let searches = data.require_reference()?.searches(self.distance)?;
        let neighbors = data.row_neighbors(self.distance, Wanted::own(1))?;
        let like: Vec<Option<Nearest>> = parallel::map(data.n_rows(), |row| {
            let near = neighbors.nearest(row, Among::Class(row_classes[row]), 1)?;
            near.first().copied()
        });
        let found: Vec<usize> = like.iter().flatten().map(|near| near.index).collect();
        let mut unlike = searches.nearest_unlike(&found)?.into_iter();
        let values = like.into_iter().map(|like| {
            let near = like?.distance;
            let far = unlike.next()?.filter(|&far| far > 0.0)?;
            Some(near / far)
        });
        Ok(CounterfactualValues::per_row(
            values.collect(),
            self.selection,
            Best::Smallest,
            data,
        ))
    }
}
