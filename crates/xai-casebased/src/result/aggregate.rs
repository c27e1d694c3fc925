//! Aggregate explanations, which show no training row.

use std::collections::BTreeMap;

use xai_core::{Error, Result};

use crate::correspondence::level::Level;
use crate::correspondence::score::Correspondence;

/// Aggregate explanation of a sample, or the reason why it is not released. The result of
/// [`CaseExplainer::aggregate`](crate::CaseExplainer::aggregate) for each sample.
#[derive(Debug)]
pub enum Aggregate {
    /// The aggregate.
    Released(AggregateExplanation),
    /// [`ErrorKind::Refused`](xai_core::ErrorKind::Refused): the nearest cases have too few distinct rows.
    Refused(Error),
}

impl Aggregate {
    /// Returns the aggregate; `None` if it is refused.
    #[must_use]
    pub fn released(&self) -> Option<&AggregateExplanation> {
        match self {
            Self::Released(explanation) => Some(explanation),
            Self::Refused(_) => None,
        }
    }

    /// Converts to a `Result`.
    ///
    /// # Errors
    /// The reason why the aggregate is refused.
    pub fn into_result(self) -> Result<AggregateExplanation> {
        match self {
            Self::Released(explanation) => Ok(explanation),
            Self::Refused(error) => Err(error),
        }
    }
}

/// Summary of the nearest cases of a sample that shows no training row.
///
/// It contains no row index, no feature and no metadata; see
/// [`CaseExplainer::aggregate`](crate::CaseExplainer::aggregate).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AggregateExplanation {
    /// Index of the sample in its batch.
    pub sample: usize,
    /// Predicted class; `None` if the cases voted and there are none, or all have weight 0.
    pub predicted: Option<i64>,
    /// Agreement of the cases with the prediction, in [0, 1]; `None` if undefined. The weights are not released,
    /// because a distance follows from a single weight.
    pub correspondence: Option<f64>,
    /// Level of the correspondence.
    pub level: Level,
    /// Number of nearest cases; `n_neighbors` in JSON.
    #[cfg_attr(feature = "serde", serde(rename = "n_neighbors"))]
    pub n_cases: usize,
    /// Share of the cases with each class, by count. The shares add up to 1.
    pub class_shares: BTreeMap<i64, f64>,
    /// Smallest and largest distance of a case; `None` without cases.
    pub distance_range: Option<(f64, f64)>,
    /// Number of distinct training rows among the cases.
    pub n_distinct: usize,
    /// Number of training rows that tie at rank `k`; 0 if none of them is left out. See
    /// [`Neighbors::ties_at_k`](crate::search::Neighbors::ties_at_k).
    #[cfg_attr(feature = "serde", serde(default))]
    pub ties_at_k: usize,
}

impl AggregateExplanation {
    /// Summarises the nearest cases, given as `(distance, label)` in any order.
    pub(crate) fn new(
        sample: usize,
        predicted: Option<i64>,
        correspondence: &Correspondence,
        cases: impl Iterator<Item = (f64, i64)>,
        (n_distinct, ties_at_k): (usize, usize),
    ) -> Self {
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        let mut distance_range: Option<(f64, f64)> = None;
        for (distance, label) in cases {
            *counts.entry(label).or_default() += 1;
            let (smallest, largest) = distance_range.unwrap_or((distance, distance));
            distance_range = Some((smallest.min(distance), largest.max(distance)));
        }
        let total: usize = counts.values().sum();
        Self {
            sample,
            predicted,
            correspondence: correspondence.score,
            level: correspondence.level,
            n_cases: correspondence.n_neighbors,
            class_shares: counts
                .into_iter()
                .map(|(label, count)| (label, count as f64 / total as f64))
                .collect(),
            distance_range,
            n_distinct,
            ties_at_k,
        }
    }
}
