use std::collections::BTreeMap;

use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::schema::FeatureKind;
use crate::selection::Selection;
use crate::values::Best::Largest;
use crate::values::CounterfactualValues;

/// Unit of counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum DomainScore {
    /// Rows whose features are all possible.
    #[default]
    Rows,
    /// Features that are possible.
    Features,
}

/// Share of the counterfactuals whose values are all possible.
///
/// ```text
/// rows: [all features possible]   features: |possible features| / p
/// ```
///
/// In [0, 1], **higher is better**. A number is possible within its range and on its step, a one-hot group
/// with one 1 and otherwise 0, a category if it is in its list or, without a list, in the training rows. Without both,
/// every category is possible.
///
/// # Extremes
/// 1: every value is possible. 0: no row is (`features`: no feature).
///
/// # Limits
/// Only what the schema says is checked, one feature at a time: combinations can still be impossible.
///
/// # Source
/// de Oliveira and Martens, *A framework and benchmarking study for counterfactual generating methods on tabular
/// data*, 2021.
#[metric(
    name = "in-domain",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::SCHEMA],
    example = 1.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct InDomain {
    /// Unit of counting: rows or features.
    score: DomainScore,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for InDomain {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let features = data.schema().features();
        // The columns of a one-hot group list its categories; only codes in one column are looked up in the training
        // rows.
        let mut seen: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        if let Some(reference) = data.known_reference() {
            for feature in features
                .iter()
                .filter(|feature| feature.kind == FeatureKind::Categorical)
            {
                let column = feature.columns[0];
                let mut values = reference.rows().column(column).to_vec();
                values.sort_unstable_by(f64::total_cmp);
                values.dedup();
                seen.insert(column, values);
            }
        }
        Ok(data.values(self.selection, Largest, |_, _, c| {
            let is_possible = |feature: &&crate::Feature| {
                let known = seen.get(&feature.columns[0]).map(Vec::as_slice);
                feature.is_possible(c, known)
            };
            let n_possible = features.iter().filter(is_possible).count();
            Some(match self.score {
                DomainScore::Rows => f64::from(n_possible == features.len()),
                DomainScore::Features => n_possible as f64 / features.len() as f64,
            })
        }))
    }
}
