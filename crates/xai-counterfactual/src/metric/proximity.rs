use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::selection::Selection;
use crate::values::Best::Smallest;
use crate::values::CounterfactualValues;

/// Distance between a query and its counterfactual.
///
/// ```text
/// d(x, x')
/// ```
///
/// At least 0, **lower is better**.
///
/// ```
/// use ndarray::array;
/// use xai_counterfactual::{CounterfactualData, CounterfactualMetric, MixedDistance, Schema, metric::Proximity};
/// let schema = Schema::numeric(2);
/// let (queries, rows) = (array![[0.0, 0.0]], array![[3.0, 4.0]]);
/// let data = CounterfactualData::new(&schema, queries.view(), rows.view(), &[0])?;
/// let proximity = Proximity::new().distance(MixedDistance::Euclidean).evaluate(&data)?;
/// assert_eq!(proximity.value, Some(5.0));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Extremes
/// 0: the counterfactual is the query. 1 by `gower`: every feature moves over its whole range.
///
/// # Limits
/// The nearest row need not be possible or reachable. Distances of methods compare on queries that both answered.
///
/// # Source
/// Wachter et al., *Counterfactual explanations without opening the black box*, 2018; Gower, *A general coefficient of
/// similarity*, 1971.
///
/// # Elsewhere
/// `carla.Distance`, `ceval.proximity`, `cel.Proximity`, `robustx.DistanceEvaluator`
#[metric(
    name = "proximity",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS],
    example = 2.5,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct Proximity {
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for Proximity {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let distance = data.distance(self.distance)?;
        Ok(data.values(self.selection, Smallest, |_, x, c| distance.between(x, c)))
    }
}
