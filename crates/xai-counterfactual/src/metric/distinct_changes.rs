use std::collections::HashSet;

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::{Result, parallel};

use super::CounterfactualMetric;
use super::diversity::pairs;
use super::validity::bits;
use crate::data::CounterfactualData;
use crate::input;
use crate::selection::Rows;
use crate::values::{CounterfactualValues, mean};

/// Definition of different counterfactuals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum DistinctScore {
    /// Another set of changed features: the share of different sets.
    #[default]
    FeatureSets,
    /// Another value of any column: the share of different rows.
    Rows,
    /// One minus the overlap of the sets of changed features: the mean over pairs of `1 − |A ∩ B| / |A ∪ B|`.
    Jaccard,
}

/// Share of a query's counterfactuals that change other features than the rest.
///
/// ```text
/// |different sets of changed features| / rows;  jaccard: mean over pairs of 1 − |A ∩ B| / |A ∪ B|
/// ```
///
/// In [0, 1], **higher is better**. Undefined without rows; `jaccard` is undefined for fewer than
/// two, and leaves out pairs that change nothing.
///
/// # Extremes
/// 1: every row changes another set of features. The smallest value, 1 / rows (`jaccard`: 0): all change the same.
///
/// # Limits
/// With more rows than sensible sets of features it must fall.
///
/// # Source
/// Jeyakumar et al., *CARE*, 2022 (feature diversity).
#[metric(
    name = "distinct-changes",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS],
    example = 1.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct DistinctChanges {
    /// Definition of different counterfactuals.
    score: DistinctScore,
    /// Counterfactuals that count.
    rows: Rows,
}

impl CounterfactualMetric for DistinctChanges {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let members = data.members(self.rows);
        let per_query = parallel::map(members.len(), |query| {
            let rows = &members[query];
            let changed = |row: usize| {
                data.schema()
                    .changed(data.query_row(query), data.row(row), 0.0)
            };
            let share = |n_different: usize| {
                (!rows.is_empty()).then(|| n_different as f64 / rows.len() as f64)
            };
            match self.score {
                DistinctScore::FeatureSets => share(
                    rows.iter()
                        .map(|&row| changed(row))
                        .collect::<HashSet<_>>()
                        .len(),
                ),
                DistinctScore::Rows => share(
                    rows.iter()
                        .map(|&row| bits(data.row(row)))
                        .collect::<HashSet<_>>()
                        .len(),
                ),
                DistinctScore::Jaccard => {
                    let overlaps =
                        pairs(rows).map(|(a, b)| Some(1.0 - jaccard(&changed(a), &changed(b))?));
                    mean(overlaps)
                }
            }
        });
        Ok(CounterfactualValues::per_query(per_query))
    }
}

/// The Jaccard index of two ascending lists; `None` if both are empty.
pub(super) fn jaccard(a: &[usize], b: &[usize]) -> Option<f64> {
    let n_both = a.iter().filter(|value| b.contains(value)).count();
    let n_any = a.len() + b.len() - n_both;
    (n_any > 0).then(|| n_both as f64 / n_any as f64)
}
