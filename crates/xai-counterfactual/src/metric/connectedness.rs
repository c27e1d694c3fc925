use std::collections::BTreeMap;

use xai_core::Result;
use xai_core::describe::{Parameters, metric};
use xai_core::statistics::quantile;

use super::CounterfactualMetric;
use super::nearest_distance::classes;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::selection::Selection;
use crate::values::{Best, CounterfactualValues};

/// Share of the counterfactuals that lie near a connected group of training rows of their class.
///
/// ```text
/// 1 if a training row of the class within ε of x' has a component of at least min_size rows (edges ≤ ε), else 0
/// ```
///
/// In {0, 1}, **higher is better**. ε is the given radius, or else a quantile of the distances of the class's training rows to their
/// nearest neighbour of the class. A class of fewer than two rows has no value.
///
/// # Extremes
/// 1: reachable from real cases in small steps. 0: isolated.
///
/// # Limits
/// It looks at data, not at the model between them; the radius decides.
///
/// # Source
/// Laugel et al., *The dangers of post-hoc interpretability: unjustified counterfactual explanations*, 2019 (on the training data).
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
        let (mut radii, mut sizes) = (BTreeMap::new(), BTreeMap::new());
        for &class in reference.classes() {
            let Some(nearest) = searches.nearest_within(class)? else {
                continue;
            };
            let radius = match self.radius {
                Some(radius) => radius,
                None => quantile(&nearest, self.quantile)?.unwrap_or(0.0),
            };
            radii.insert(class, radius);
            // With components of two rows, "lies within ε of a row that has a neighbour within ε" says the same.
            sizes.insert(class, searches.component_sizes(class, radius)?);
        }
        let within = searches.within(data.rows.view(), &row_classes, &radii)?;
        let values = within.into_iter().zip(&row_classes).map(|(near, class)| {
            // Classes of fewer than two rows are not among the sizes.
            let sizes = sizes.get(class)?;
            let is_connected = near?.iter().any(|row| sizes[row] >= self.min_size);
            Some(f64::from(is_connected))
        });
        Ok(CounterfactualValues::per_row(
            values.collect(),
            self.selection,
            Best::Largest,
            data,
        ))
    }
}
