use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::CounterfactualMetric;
use super::nearest_distance::{Reduce, classes};
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::neighborhood::Wanted;
use crate::selection::Selection;
use crate::values::Best::Largest;
use crate::values::CounterfactualValues;

/// Comparison of the two distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TrustValue {
    /// `d_other / (d_own + d_other)`, in [0, 1].
    #[default]
    Share,
    /// `d_other / d_own`, without an upper end.
    Ratio,
}

/// Distance to the nearest other class relative to that to the own class.
///
/// ```text
/// share: d_other / (d_own + d_other)   ratio: d_other / d_own
/// ```
///
/// In [0, 1], **higher is better**; `ratio` at least 0. The distances are those of the k-th nearest training row of
/// the class, and of the nearest other class. Undefined for one class, and if the divisor is 0.
///
/// # Extremes
/// 1: on a row of its class. 0.5: as near to another class. 0: on a row of another class.
///
/// # Limits
/// The mean of `ratio` is ruled by its largest value; `share` is bounded.
///
/// # Source
/// Jiang et al., *To trust or not to trust a classifier*, 2018.
///
/// # Elsewhere
/// `alibi.TrustScore`
#[metric(
    name = "trust-score",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::TRAIN, input::TRAIN_LABELS, input::ROW_CLASS],
    example = 0.5833,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct TrustScore {
    /// Number of neighbours in each class.
    #[param(at_least = 1, default = 1)]
    k: usize,
    /// Comparison of the two distances.
    score: TrustValue,
    /// Aggregation of the distances of the neighbours.
    #[param(default = Reduce::Last)]
    reduce: Reduce,
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for TrustScore {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let row_classes = classes(data)?;
        let neighbors = data.row_neighbors(self.distance, Wanted::each(self.k))?;
        let value = |row: usize, _: &[f64], _: &[f64]| {
            let (mut own, mut other) = (None, None::<f64>);
            for (class, near) in neighbors.nearest_of_each_class(row, self.k) {
                let distance = self.reduce.value(&near);
                if class == row_classes[row] {
                    own = distance;
                } else {
                    // The nearest other class is the one whose k-th row (or mean of k rows) is nearest, not that of the
                    // nearest row.
                    other = other.into_iter().chain(distance).reduce(f64::min);
                }
            }
            let (own, other) = (own?, other?);
            let divisor = match self.score {
                TrustValue::Share => own + other,
                TrustValue::Ratio => own,
            };
            (divisor > 0.0).then(|| other / divisor)
        };
        Ok(data.values(self.selection, Largest, value))
    }
}
