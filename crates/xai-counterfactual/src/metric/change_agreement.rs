use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::{Result, parallel};

use super::CounterfactualMetric;
use super::distinct_changes::jaccard;
use crate::data::CounterfactualData;
use crate::input;
use crate::searches::row_of;
use crate::values::{CounterfactualValues, mean};

/// Kind of agreement between two methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ChangeAgreementScore {
    /// The changed features: their Jaccard index.
    #[default]
    Jaccard,
    /// The direction: the share of the numeric features changed by both that move alike.
    Direction,
}

/// Agreement of two methods on which features to change.
///
/// ```text
/// mean over pairs of rows of |A ∩ B| / |A ∪ B|;  direction: mean share of A ∩ B that moves alike
/// ```
///
/// In [0, 1], without a better end. Pairs in which neither changes anything (`direction`: no number in common) do not
/// count.
///
/// # Extremes
/// 1: both change the same features. 0: they have none in common.
///
/// # Limits
/// Different advice can be equally good.
///
/// # Source
/// Brughmans et al., *Disagreement amongst counterfactual explanations*, 2023.
#[metric(
    name = "change-agreement",
    direction = Direction::None,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::OTHERS],
    example = 0.5,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct ChangeAgreement {
    /// Kind of agreement.
    score: ChangeAgreementScore,
}

impl CounterfactualMetric for ChangeAgreement {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let (schema, others) = (data.schema(), data.require_others()?);
        let mut own: Vec<Vec<&[f64]>> = vec![Vec::new(); data.n_queries()];
        let mut other = own.clone();
        for (row, &query) in data.query.iter().enumerate() {
            own[query].push(data.row(row));
        }
        for (row, &query) in others.query.iter().enumerate() {
            other[query].push(row_of(&others.rows, row));
        }
        let per_query = parallel::map(data.n_queries(), |query| {
            let x = data.query_row(query);
            let pairs = own[query]
                .iter()
                .flat_map(|a| other[query].iter().map(move |b| (*a, *b)));
            mean(pairs.map(|(a, b)| {
                let (in_a, in_b) = (schema.changed(x, a, 0.0), schema.changed(x, b, 0.0));
                if self.score == ChangeAgreementScore::Jaccard {
                    return jaccard(&in_a, &in_b);
                }
                let both = in_a
                    .iter()
                    .filter(|feature| in_b.contains(feature))
                    .map(|&feature| &schema.features()[feature]);
                mean(both.filter(|feature| !feature.is_nominal()).map(|feature| {
                    let column = feature.columns[0];
                    // Both change the feature, so what does not rise falls.
                    Some(f64::from(
                        (a[column] > x[column]) == (b[column] > x[column]),
                    ))
                }))
            }))
        });
        Ok(CounterfactualValues::per_query(per_query))
    }
}
