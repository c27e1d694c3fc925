use std::collections::BTreeMap;

use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::selection::Selection;
use crate::values::Best::Smallest;
use crate::values::CounterfactualValues;

/// Prices of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum CostScore {
    /// Costs of the features in the schema.
    #[default]
    Weighted,
    /// Largest shift in percentiles of the training rows.
    PercentileMax,
    /// Sum of the shifts in percentiles of the training rows.
    PercentileSum,
}

/// Cost of the changes from a query to its counterfactual.
///
/// ```text
/// weighted: Σ w_j |Δ_j| (categories: w_j)   percentile-max: max_j |Q_j(x'_j) − Q_j(x_j)|   percentile-sum: the sum
/// ```
///
/// At least 0, **lower is better**. `Q_j(v)` is the share of the training rows with a value of at most `v`.
/// Percentiles are undefined if all features are categories.
///
/// # Extremes
/// 0: nothing changes. 1 by `percentile-max`: some feature moves from the bottom to the top of the training data.
///
/// # Limits
/// Percentiles price all people alike; weights are the user's.
///
/// # Source
/// Ustun et al., *Actionable recourse in linear classification*, 2019 (largest percentile shift).
#[metric(
    name = "cost",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::SCHEMA],
    example = 2.5,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct Cost {
    /// Prices of changes.
    score: CostScore,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for Cost {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let features = data.schema().features();
        if self.score == CostScore::Weighted {
            return Ok(data.values(self.selection, Smallest, |_, x, c| {
                let costs = features.iter().map(|feature| {
                    let column = feature.columns[0];
                    let change = if feature.is_nominal() {
                        f64::from(feature.differs(x, c, 0.0))
                    } else {
                        (c[column] - x[column]).abs()
                    };
                    feature.cost * change
                });
                Some(costs.sum())
            }));
        }
        let train = data.require_reference()?.rows();
        // Sorted once, so that a percentile is a binary search.
        let mut ascending: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for feature in features.iter().filter(|feature| !feature.is_nominal()) {
            let mut values = train.column(feature.columns[0]).to_vec();
            values.sort_unstable_by(f64::total_cmp);
            ascending.insert(feature.columns[0], values);
        }
        Ok(data.values(self.selection, Smallest, |_, x, c| {
            let shifts = ascending.iter().map(|(&column, values)| {
                let share = |value: f64| {
                    values.partition_point(|&known| known <= value) as f64 / values.len() as f64
                };
                (share(c[column]) - share(x[column])).abs()
            });
            if ascending.is_empty() {
                None
            } else if self.score == CostScore::PercentileMax {
                shifts.reduce(f64::max)
            } else {
                Some(shifts.sum())
            }
        }))
    }
}
