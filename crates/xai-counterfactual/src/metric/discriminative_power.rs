use xai_core::describe::{Parameters, metric};
use xai_core::{Result, parallel};
use xai_neighbors::Nearest;

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::neighborhood::{Among, Wanted};
use crate::selection::Rows;
use crate::values::{CounterfactualValues, mean};

/// Accuracy of a nearest-neighbour rule that knows only a query and its counterfactuals.
///
/// ```text
/// ½ accuracy on the k training rows of the query's class nearest to x + ½ accuracy on the k of other classes
/// ```
///
/// In [0, 1], **higher is better**. The rule assigns a training row to the class of the nearest of `{x} ∪
/// counterfactuals`, equal distances to the query first; counterfactuals at equal distance share the row. Only rows
/// that are marked as invalid by the input `valid` are left out, because a row that keeps the class of the query tells
/// where the boundary is not. Undefined without counterfactuals, and if the training rows have one class.
///
/// # Extremes
/// 1: the counterfactuals show where the boundary is. 0.5: as good as naming one class.
///
/// # Limits
/// It tests the neighbourhood of the query only.
///
/// # Source
/// Mothilal et al., *Explaining machine learning classifiers through diverse counterfactual explanations*, 2020;
/// Guidotti, *Counterfactual explanations and how to find them*, 2022.
#[metric(
    name = "discriminative-power",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::CLASS, input::PREDICTED, input::TRAIN, input::TRAIN_LABELS],
    example = 1.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct DiscriminativePower {
    /// Number of training rows on each side.
    #[param(at_least = 1, default = 5)]
    k: usize,
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    rows: Rows,
}

impl CounterfactualMetric for DiscriminativePower {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let reference = data.require_reference()?;
        let (labels, train) = (reference.labels()?, reference.rows());
        let (class, predicted) = (
            data.require_classes(input::CLASS)?,
            data.require_classes(input::PREDICTED)?,
        );
        let distance = data.distance(self.distance)?;
        let wanted = Wanted::own(self.k).and(Wanted::others(self.k));
        let neighbors = data.query_neighbors(self.distance, class, wanted)?;
        // The rule knows the predicted class of each row, so a row without the wanted class teaches it, too. Only rows
        // that the caller marks as invalid are left out.
        let members = data.members_not_marked_invalid(self.rows);
        let per_query = parallel::map(data.n_queries(), |query| {
            if members[query].is_empty() {
                return None;
            }
            let mut shown = vec![(data.query_row(query), class[query])];
            shown.extend(
                members[query]
                    .iter()
                    .map(|&row| (data.row(row), predicted[row])),
            );
            let rightness = |near: &Nearest| {
                let row = train.row(near.index).to_vec();
                let distances = shown
                    .iter()
                    .map(|&(other, _)| distance.between(&row, other));
                let distances: Vec<f64> = distances.collect::<Option<_>>()?;
                let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
                let is_right = |&class: &i64| Some(f64::from(class == labels[near.index]));
                if distances[0] == least {
                    return is_right(&class[query]);
                }
                // Counterfactuals at equal distance share the row, so that their order does not matter.
                let nearest = shown
                    .iter()
                    .zip(&distances)
                    .filter(|&(_, &distance)| distance == least);
                mean(nearest.map(|((_, class), _)| is_right(class)))
            };
            let accuracy = |among| {
                let near = neighbors.nearest(query, among, self.k)?;
                let right: Option<Vec<f64>> = near.iter().map(rightness).collect();
                mean(right?.into_iter().map(Some))
            };
            let class = class[query];
            Some((accuracy(Among::Class(class))? + accuracy(Among::Except(class))?) / 2.0)
        });
        Ok(CounterfactualValues::per_query(per_query))
    }
}
