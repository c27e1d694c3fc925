use ndarray::Axis;
use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use super::CounterfactualMetric;
use super::nearest_distance::classes;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::reference::Among;
use crate::selection::Selection;
use crate::values::{Best, CounterfactualValues};

/// Distance of a counterfactual to its class relative to the distance of that class to others.
///
/// ```text
/// d(x', NLN) / d(NLN, NUN(NLN))
/// ```
///
/// At least 0, **lower is better**. NLN is the nearest training row of the counterfactual's class, NUN(NLN) the nearest row of another
/// class to it. Undefined without either, and if both are equal.
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
        let reference = data.require_reference()?;
        let row_classes = classes(data)?;
        let searches = reference.searches(self.distance)?;
        let own: Vec<Among> = row_classes.iter().copied().map(Among::Class).collect();
        let like = searches.nearest(data.rows.view(), &own, 1)?;
        // The second search starts from the neighbours of the first one, so only rows that have one take part.
        let found: Vec<usize> = (0..like.len()).filter(|&row| like[row].is_some()).collect();
        let neighbors = found
            .iter()
            .filter_map(|&row| Some(like[row].as_ref()?.first()?.index));
        let neighbors = reference
            .rows()
            .select(Axis(0), &neighbors.collect::<Vec<_>>());
        let others: Vec<Among> = found
            .iter()
            .map(|&row| Among::Except(row_classes[row]))
            .collect();
        let unlike = searches.nearest(neighbors.view(), &others, 1)?;
        let mut values = vec![None; data.n_rows()];
        for (row, unlike) in found.into_iter().zip(unlike) {
            let near = like[row]
                .as_ref()
                .and_then(|near| near.first())
                .map(|near| near.distance);
            let far = unlike
                .and_then(|near| Some(near.first()?.distance))
                .filter(|&far| far > 0.0);
            values[row] = near.zip(far).map(|(near, far)| near / far);
        }
        Ok(CounterfactualValues::per_row(
            values,
            self.selection,
            Best::Smallest,
            data,
        ))
    }
}
