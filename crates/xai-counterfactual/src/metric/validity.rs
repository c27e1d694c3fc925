use std::collections::HashSet;

use xai_core::describe::{Parameters, metric};
use xai_core::{Error, Result};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::input;
use crate::selection::{Over, Rows, Selection};
use crate::values::{Best, CounterfactualValues};

/// Share of a query's counterfactuals that the model assigns to the wanted class.
///
/// ```text
/// mean [predicted = target], or mean [predicted ≠ class] without a target;  distinct: |different valid rows| / m
/// ```
///
/// In [0, 1], **higher is better**. A query without counterfactuals has no value (0 with `distinct`), nor has one
/// whose class is its target, because it needs no recourse.
///
/// ```
/// use ndarray::array;
/// use xai_counterfactual::{CounterfactualData, CounterfactualMetric, Schema, input, metric::Validity};
/// let schema = Schema::numeric(1);
/// let (queries, rows) = (array![[0.0], [1.0]], array![[2.0], [3.0], [4.0]]);
/// let data = CounterfactualData::new(&schema, queries.view(), rows.view(), &[0, 0, 1])?
///     .classes(input::CLASS, &[0, 0])?
///     .classes(input::PREDICTED, &[1, 0, 1])?;
/// let validity = Validity::new().evaluate(&data)?;
/// assert_eq!((validity.value, validity.pooled), (Some(0.75), Some(2.0 / 3.0)));
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Extremes
/// 0: no counterfactual has the wanted class. 1: all have it.
///
/// # Limits
/// A far-fetched row is valid, too: read it with proximity and plausibility.
///
/// # Source
/// Mothilal et al., *Explaining machine learning classifiers through diverse counterfactual explanations*, 2020.
///
/// # Elsewhere
/// `ceval.validity`, `robustx.ValidityEvaluator`
#[metric(
    name = "validity",
    direction = Direction::Higher,
    range = Range::SHARE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::PREDICTED, input::TARGET],
    example = 1.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters, Default)]
pub struct Validity {
    /// If `true`, the number of different valid rows relative to the number requested.
    distinct: bool,
}

impl CounterfactualMetric for Validity {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let predicted = data.require_classes(input::PREDICTED)?;
        let (target, class) = (
            data.known_classes(input::TARGET),
            data.known_classes(input::CLASS),
        );
        if target.is_none() && class.is_none() {
            return Err(Error::parameter(
                input::TARGET,
                "none",
                "the target of each query, or its class",
            ));
        }
        let needs_no_recourse = |query: usize| {
            target
                .zip(class)
                .is_some_and(|(target, class)| target[query] == class[query])
        };
        let values = data
            .query
            .iter()
            .zip(predicted)
            .map(|(&query, &predicted)| {
                if needs_no_recourse(query) {
                    return None;
                }
                let is_valid = match (target, class) {
                    (Some(target), _) => predicted == target[query],
                    (None, class) => class.is_some_and(|class| predicted != class[query]),
                };
                Some(f64::from(is_valid))
            });
        let values: Vec<Option<f64>> = values.collect();
        if !self.distinct {
            let all = Selection {
                rows: Rows::All,
                over: Over::Mean,
            };
            return Ok(CounterfactualValues::per_row(
                values,
                all,
                Best::Largest,
                data,
            ));
        }
        let requested = data.require_requested()?;
        // Rows are compared by their bits, because floats cannot be hashed.
        let mut different: Vec<HashSet<Vec<u64>>> = vec![HashSet::new(); data.n_queries()];
        let mut counts = vec![0_usize; data.n_queries()];
        for (row, (&query, value)) in data.query.iter().zip(&values).enumerate() {
            counts[query] += 1;
            if *value == Some(1.0) {
                different[query].insert(bits(data.row(row)));
            }
        }
        if let Some(query) = counts.iter().position(|&n| n > requested) {
            let expected = format!("at least the {} rows of query {query}", counts[query]);
            return Err(Error::parameter(input::REQUESTED, requested, expected));
        }
        let per_query = different.iter().enumerate().map(|(query, rows)| {
            (!needs_no_recourse(query)).then(|| rows.len() as f64 / requested as f64)
        });
        Ok(CounterfactualValues::per_query(per_query.collect()))
    }
}

/// The bits of a row, −0 as 0, so that equal rows have equal bits.
pub(super) fn bits(row: &[f64]) -> Vec<u64> {
    row.iter().map(|value| (value + 0.0).to_bits()).collect()
}
