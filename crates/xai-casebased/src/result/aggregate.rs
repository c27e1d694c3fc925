//! Aggregate explanations, which show no training row.

use std::collections::BTreeMap;

use crate::correspondence::level::Level;
use crate::correspondence::score::Correspondence;

/// Summary of the neighbours of a sample that shows no training row.
///
/// It contains no row index, no feature and no metadata; see
/// [`CaseExplainer::aggregate`](crate::CaseExplainer::aggregate).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AggregateExplanation {
    /// Index of the sample in its batch.
    pub sample: usize,
    /// Predicted class; `None` if the neighbours voted and there are none, or all have weight 0.
    pub predicted: Option<i64>,
    /// Agreement of the neighbours with the prediction, in [0, 1]; `None` if undefined. The weights are not released,
    /// because a distance follows from a single weight.
    pub correspondence: Option<f64>,
    /// Level of the correspondence.
    pub level: Level,
    /// Number of neighbours.
    pub n_neighbors: usize,
    /// Share of the neighbours with each class, by count. The shares add up to 1.
    pub class_shares: BTreeMap<i64, f64>,
    /// Smallest and largest distance of a neighbour; `None` without neighbours.
    pub distance_range: Option<(f64, f64)>,
    /// Number of distinct training rows among the neighbours.
    pub n_distinct: usize,
    /// Number of training rows that tie at rank `k`; 0 if none of them is left out. See
    /// [`Neighbors::ties_at_k`](crate::search::Neighbors::ties_at_k).
    #[cfg_attr(feature = "serde", serde(default))]
    pub ties_at_k: usize,
}

impl AggregateExplanation {
    /// Summarises neighbours, given as `(distance, label)`. The distances of the first and the last become the range,
    /// so the neighbours should be in ascending distance.
    pub(crate) fn new(
        sample: usize,
        predicted: Option<i64>,
        correspondence: &Correspondence,
        neighbors: impl Iterator<Item = (f64, i64)>,
        (n_distinct, ties_at_k): (usize, usize),
    ) -> Self {
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        let mut distance_range = None;
        for (distance, label) in neighbors {
            *counts.entry(label).or_default() += 1;
            let (first, _) = distance_range.unwrap_or((distance, distance));
            distance_range = Some((first, distance));
        }
        let total: usize = counts.values().sum();
        Self {
            sample,
            predicted,
            correspondence: correspondence.score,
            level: correspondence.level,
            n_neighbors: correspondence.n_neighbors,
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
