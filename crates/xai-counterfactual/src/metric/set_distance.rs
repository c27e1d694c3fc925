use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::{Result, parallel};

use super::CounterfactualMetric;
use super::diversity::pairs;
use crate::data::{CounterfactualData, RowSet};
use crate::distance::{DistanceOptions, RowDistance};
use crate::input;
use crate::searches::row_of;
use crate::values::{CounterfactualValues, mean};

/// Aggregation of the distances between two sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "mode")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SetMode {
    /// The mean of the mean nearest distances in both directions.
    #[default]
    Mean,
    /// The largest nearest distance (Hausdorff).
    Hausdorff,
}

/// Distance between two sets of counterfactuals of the same query.
///
/// ```text
/// ½ mean_a min_b d(a, b) + ½ mean_b min_a d(a, b);  hausdorff: the larger of the maxima
/// ```
///
/// At least 0, **lower is better**. The sets are those of a method for a query and for a perturbed copy of it (divided
/// by `input_distance`, if it is given), of repeated runs (the mean over pairs of runs), or of two methods. Undefined
/// if a set is empty; with more than two runs, pairs with an empty set do not count.
///
/// # Extremes
/// 0: the sets are the same.
///
/// # Limits
/// A method that always returns the same rows is stable and may be useless.
///
/// # Source
/// Jiang et al., *RobustX*, 2025 (set distance); Alvarez-Melis and Jaakkola, *On the robustness of interpretability
/// methods*, 2018 (local Lipschitz constant).
///
/// # Elsewhere
/// `robustx.SetDistanceRobustnessEvaluator`
#[metric(
    name = "set-distance",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::OTHERS],
    example = 3.25,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct SetDistance {
    /// Aggregation of the distances between two sets.
    mode: SetMode,
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
}

impl CounterfactualMetric for SetDistance {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let distance = data.distance(self.distance)?;
        let own = RowSet {
            rows: data.rows.clone(),
            query: data.query.clone(),
        };
        // With repeated runs, only these are compared with each other; the counterfactuals of the data are not one of
        // them.
        let sets: Vec<&RowSet> = if data.runs().is_empty() {
            vec![&own, data.require_others()?]
        } else {
            data.runs().iter().collect()
        };
        let scale = data.known_numbers(input::INPUT_DISTANCE);
        let by_query: Vec<Vec<Vec<&[f64]>>> = sets
            .iter()
            .map(|set| rows_by_query(set, data.n_queries()))
            .collect();
        let numbers: Vec<usize> = (0..sets.len()).collect();
        let per_query = parallel::map(data.n_queries(), |query| {
            let between = |(a, b): (usize, usize)| {
                self.between(&distance, &by_query[a][query], &by_query[b][query])
            };
            let value = mean(pairs(&numbers).map(between))?;
            match scale {
                Some(scale) => (scale[query] > 0.0).then(|| value / scale[query]),
                None => Some(value),
            }
        });
        Ok(CounterfactualValues::per_query(per_query))
    }
}

fn rows_by_query(set: &RowSet, n_queries: usize) -> Vec<Vec<&[f64]>> {
    let mut rows = vec![Vec::new(); n_queries];
    for (row, &query) in set.query.iter().enumerate() {
        rows[query].push(row_of(&set.rows, row));
    }
    rows
}

impl SetDistance {
    fn between(&self, distance: &RowDistance, a: &[&[f64]], b: &[&[f64]]) -> Option<f64> {
        if a.is_empty() || b.is_empty() {
            return None;
        }
        let nearest = |from: &[&[f64]], to: &[&[f64]]| -> Option<Vec<f64>> {
            let nearest_of = |x: &&[f64]| {
                let distances: Option<Vec<f64>> =
                    to.iter().map(|y| distance.between(x, y)).collect();
                distances?.into_iter().reduce(f64::min)
            };
            from.iter().map(nearest_of).collect()
        };
        let (forth, back) = (nearest(a, b)?, nearest(b, a)?);
        match self.mode {
            SetMode::Hausdorff => forth.into_iter().chain(back).reduce(f64::max),
            SetMode::Mean => {
                let side = |distances: Vec<f64>| mean(distances.into_iter().map(Some));
                Some((side(forth)? + side(back)?) / 2.0)
            }
        }
    }
}
