use std::collections::BTreeMap;

use ndarray::Axis;
use xai_core::Result;
use xai_core::describe::{Parameters, metric};
use xai_core::statistics::quantile;
use xai_neighbors::Nearest;

use super::CounterfactualMetric;
use super::nearest_distance::classes;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::neighborhood::{Among, SEARCHED_AT_LEAST, Wanted};
use crate::searches::blocks;
use crate::selection::Selection;
use crate::values::{Best, CounterfactualValues};

/// Share of the counterfactuals that lie near a connected group of training rows of their class.
///
/// ```text
/// 1 if a training row of the class within ε of x' has a component of at least min_size rows (edges ≤ ε), else 0
/// ```
///
/// In {0, 1}, **higher is better**. ε is the given radius, or else a quantile of the distances of the class's training
/// rows to their nearest neighbour of the class. A class of fewer than two rows has no value.
///
/// # Extremes
/// 1: reachable from real cases in small steps. 0: isolated.
///
/// # Limits
/// It looks at data, not at the model between them; the radius decides.
///
/// # Source
/// Laugel et al., *The dangers of post-hoc interpretability: unjustified counterfactual explanations*, 2019 (on the
/// training data).
#[metric(
    name = "connectedness",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::TRAIN, input::TRAIN_LABELS, input::ROW_CLASS],
    example = 1.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Connectedness {
    /// Quantile of the nearest-neighbour distances that is the radius.
    #[param(at_least = 0, at_most = 1, default = 0.9)]
    quantile: f64,
    /// Radius, instead of a quantile.
    #[param(
        at_least = 0,
        none = "quantile",
        none_doc = "The quantile of nearest-neighbour distances."
    )]
    radius: Option<f64>,
    /// Smallest component.
    #[param(at_least = 1, default = 2)]
    min_size: usize,
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for Connectedness {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let row_classes = classes(data)?;
        let reference = data.require_reference()?;
        let searches = reference.searches(self.distance)?;
        let mut radii = BTreeMap::new();
        let mut is_in_component = vec![false; reference.n_rows()];
        for &class in reference.classes() {
            // Classes of fewer than two rows have no radius.
            let Some(nearest) = searches.nearest_within(class)? else {
                continue;
            };
            let radius = match self.radius {
                Some(radius) => radius,
                None => quantile(&nearest, self.quantile)?.unwrap_or(0.0),
            };
            radii.insert(class, radius);
            let are_in = searches.is_in_component(class, radius, self.min_size, &nearest)?;
            for (&row, is_in) in searches.rows_of(class).iter().zip(are_in) {
                is_in_component[row] = is_in;
            }
        }
        let neighbors = data.row_neighbors(self.distance, Wanted::own(SEARCHED_AT_LEAST))?;
        // `None` if more neighbours must be searched: all that were found lie within the radius, and none in a component.
        let is_connected = |class: i64, near: &[Nearest]| {
            let radius = radii[&class];
            let mut within = near.iter().take_while(|near| near.distance <= radius);
            if within.any(|near| is_in_component[near.index]) {
                return Some(true);
            }
            let is_complete = near.len() == searches.rows_of(class).len()
                || near.last().is_some_and(|near| near.distance > radius);
            is_complete.then_some(false)
        };
        let mut values = vec![None; data.n_rows()];
        let mut open: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (row, &class) in row_classes.iter().enumerate() {
            let near = neighbors.nearest(row, Among::Class(class), SEARCHED_AT_LEAST);
            let Some(near) = near.filter(|_| radii.contains_key(&class)) else {
                continue;
            };
            values[row] = is_connected(class, &near);
            if values[row].is_none() {
                open.entry(class).or_default().push(row);
            }
        }
        for (class, mut rows) in open {
            // Without a component that is large enough, no row is connected.
            let members = searches.rows_of(class);
            if !members.iter().any(|&row| is_in_component[row]) {
                for row in rows {
                    values[row] = Some(false);
                }
                continue;
            }
            let mut k = SEARCHED_AT_LEAST;
            while !rows.is_empty() {
                k *= 4;
                for block in blocks(rows.len()) {
                    let block = &rows[block];
                    let queries = data.rows.select(Axis(0), block);
                    let found = searches.nearest_in_class(queries.view(), class, k)?;
                    for (&row, near) in block.iter().zip(&found) {
                        values[row] = is_connected(class, near);
                    }
                }
                rows.retain(|&row| values[row].is_none());
            }
        }
        let values = values.into_iter().map(|value| value.map(f64::from));
        Ok(CounterfactualValues::per_row(
            values.collect(),
            self.selection,
            Best::Largest,
            data,
        ))
    }
}
