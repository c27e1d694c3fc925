use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::{Error, Result};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::values::{CounterfactualValues, mean};

/// Definition of an answered query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum CoverageScore {
    /// Any counterfactual.
    #[default]
    Value,
    /// A counterfactual with the wanted class.
    Success,
    /// The share of the requested number, at most 1.
    Fill,
}

/// Share of the queries that have a counterfactual.
///
/// ```text
/// value: mean [m_i > 0]   success: mean [a row of i is valid]   fill: mean min(m_i, m) / m
/// ```
///
/// In [0, 1], **higher is better**. `m_i` is the number of rows of query i, `m` the number requested.
///
/// ```
/// use ndarray::array;
/// use xai_counterfactual::{CounterfactualData, CounterfactualMetric, Schema, metric::Coverage};
/// let schema = Schema::numeric(1);
/// let (queries, rows) = (array![[0.0], [1.0]], array![[2.0], [3.0], [4.0]]);
/// let data = CounterfactualData::new(&schema, queries.view(), rows.view(), &[0, 0, 0])?.requested(2)?;
/// assert_eq!(Coverage::new().evaluate(&data)?.value, Some(0.5));
/// assert_eq!(Coverage::counts(&data).fill, Some(0.5)); // three rows count as two
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Extremes
/// 0: no query is answered. 1: every query is.
///
/// # Limits
/// `value` counts rows that do not have the wanted class; no other metric should be read without `success`.
///
/// # Source
/// Pawelczyk et al., *CARLA*, 2021 (success rate).
///
/// # Elsewhere
/// `carla.SuccessRate`, `cel.Coverage`
#[metric(
    name = "coverage",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS],
    example = 1.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct Coverage {
    /// Definition of an answered query.
    score: CoverageScore,
}

/// All scores of [`Coverage`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CoverageCounts {
    /// Share of the queries with a row.
    pub value: f64,
    /// Share of the queries with a valid row; `None` if validity is not known.
    pub success: Option<f64>,
    /// Mean share of the requested rows; `None` if their number is not known.
    pub fill: Option<f64>,
    /// Number of rows per query.
    pub counts: Vec<usize>,
}

impl Coverage {
    /// Computes all scores.
    #[must_use]
    pub fn counts(data: &CounterfactualData<'_>) -> CoverageCounts {
        let mut counts = vec![0_usize; data.n_queries()];
        for &query in &data.query {
            counts[query] += 1;
        }
        let share = |values: Vec<f64>| mean(values.into_iter().map(Some)).unwrap_or(0.0);
        CoverageCounts {
            value: share(answered(&counts)),
            success: success(data).map(share),
            fill: data
                .known_requested()
                .map(|requested| share(fill(&counts, requested))),
            counts,
        }
    }
}

fn answered(counts: &[usize]) -> Vec<f64> {
    counts.iter().map(|&n| f64::from(n > 0)).collect()
}

fn fill(counts: &[usize], requested: usize) -> Vec<f64> {
    counts
        .iter()
        .map(|&n| n.min(requested) as f64 / requested as f64)
        .collect()
}

fn success(data: &CounterfactualData<'_>) -> Option<Vec<f64>> {
    let valid = data.validity()?;
    let mut has_valid = vec![0.0; data.n_queries()];
    for (&query, valid) in data.query.iter().zip(valid) {
        if valid {
            has_valid[query] = 1.0;
        }
    }
    Some(has_valid)
}

impl CounterfactualMetric for Coverage {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let counts = Self::counts(data).counts;
        let values = match self.score {
            CoverageScore::Value => answered(&counts),
            CoverageScore::Success => {
                success(data).ok_or_else(|| Error::missing(input::PREDICTED))?
            }
            CoverageScore::Fill => fill(&counts, data.require_requested()?),
        };
        Ok(CounterfactualValues::per_query(
            values.into_iter().map(Some).collect(),
        ))
    }
}
