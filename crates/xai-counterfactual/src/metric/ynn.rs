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

/// Share of the nearest training rows with the class of the counterfactual.
///
/// ```text
/// |{ r in k nearest of x' : class(r) = class(x') }| / k
/// ```
///
/// In [0, 1], **higher is better**.
///
/// # Extremes
/// 1: all neighbours have the class. 0: none has. By chance it is the share of the class in the training data.
///
/// # Limits
/// A rare class has few neighbours anywhere; compare methods on the same queries.
///
/// # Source
/// Pawelczyk et al., *On counterfactual explanations under predictive multiplicity*, 2020.
///
/// # Elsewhere
/// `carla.YNN`, `ceval.yNN`
#[metric(
    name = "ynn",
    title = "yNN",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::TRAIN, input::TRAIN_LABELS, input::ROW_CLASS],
    example = 0.5,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct Ynn {
    /// Number of neighbours.
    #[param(at_least = 1, default = 5)]
    k: usize,
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for Ynn {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let reference = data.require_reference()?;
        let (classes, labels) = (classes(data)?, reference.labels()?);
        let all = vec![Among::All; data.n_rows()];
        let found = reference
            .searches(self.distance)?
            .nearest(data.rows.view(), &all, self.k)?;
        let values = found.into_iter().zip(classes).map(|(near, class)| {
            let near = near?;
            let n_same = near
                .iter()
                .filter(|near| labels[near.index] == class)
                .count();
            Some(n_same as f64 / near.len() as f64)
        });
        Ok(CounterfactualValues::per_row(
            values.collect(),
            self.selection,
            Best::Largest,
            data,
        ))
    }
}
