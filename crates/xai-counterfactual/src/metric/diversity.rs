use xai_core::describe::{Parameters, metric};
use xai_core::{Result, parallel};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::selection::Rows;
use crate::values::{CounterfactualValues, mean};

/// Mean distance between the counterfactuals of a query.
///
/// ```text
/// mean over pairs a < b of d(c_a, c_b)
/// ```
///
/// At least 0, **higher is better**. Undefined for fewer than two rows. With `distance = changed` it is DiCE's count
/// diversity.
///
/// # Extremes
/// 0: all rows are the same. 1 by `gower`: any two differ over the whole range of every feature.
///
/// # Limits
/// Far-fetched rows are diverse: read it with validity and plausibility.
///
/// # Source
/// Mothilal et al., *Explaining machine learning classifiers through diverse counterfactual explanations*, 2020.
///
/// # Elsewhere
/// `cel.PairwiseDiversity`
#[metric(
    name = "diversity",
    direction = Direction::Higher,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS],
    example = 5.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct Diversity {
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    rows: Rows,
}

impl CounterfactualMetric for Diversity {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let distance = data.distance(self.distance)?;
        let members = data.members(self.rows);
        let per_query = parallel::map(members.len(), |query| {
            let pairs =
                pairs(&members[query]).map(|(a, b)| distance.between(data.row(a), data.row(b)));
            let distances: Option<Vec<f64>> = pairs.collect();
            mean(distances?.into_iter().map(Some))
        });
        Ok(CounterfactualValues::per_query(per_query))
    }
}

/// Each pair of two members once.
pub(super) fn pairs(members: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    members
        .iter()
        .enumerate()
        .flat_map(|(i, &a)| members[i + 1..].iter().map(move |&b| (a, b)))
}
