use xai_core::describe::{Parameters, metric};
use xai_core::{Result, parallel};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::selection::Selection;
use crate::unlike::UnlikeNeighbors;
use crate::values::Best::Smallest;
use crate::values::CounterfactualValues;

/// Distance of a counterfactual relative to that of the nearest training row of the wanted class.
///
/// ```text
/// d(x, x') / d(x, NUN(x))
/// ```
///
/// At least 0, **lower is better**. NUN is the nearest training row of the target, or of another class than the
/// query's. A query on such a row has no value.
///
/// # Extremes
/// 0: the counterfactual is the query. 1: as far as a real case. Above 1: a real case is nearer.
///
/// # Limits
/// It depends on how dense the training data are around the query.
///
/// # Source
/// Keane and Smyth, *Good counterfactuals and where to find them*, 2020; Smyth and Keane, *A few good
/// counterfactuals*, 2022.
///
/// # Elsewhere
/// `ceval.relative_dist`
#[metric(
    name = "relative-distance",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::TRAIN, input::TRAIN_LABELS, input::TARGET],
    example = 0.8333,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct RelativeDistance {
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for RelativeDistance {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let unlike = UnlikeNeighbors::search(data, self.distance, 1)?;
        let distance = data.distance(self.distance)?;
        let nearest: Vec<Option<f64>> = parallel::map(data.n_queries(), |query| {
            Some(unlike.neighbors(query)?.first()?.distance)
        });
        Ok(data.values(self.selection, Smallest, |row, x, c| {
            let real = nearest[data.query[row]]?;
            let own = distance.between(x, c)?;
            (real > 0.0).then(|| own / real)
        }))
    }
}
