//! What may be said of neighbours without showing one.

use std::collections::BTreeMap;

use crate::correspondence::level::Level;
use crate::correspondence::score::Correspondence;

/// The neighbours of a sample in numbers that point to no single training row.
///
/// It carries no row index, no feature and no metadata; see
/// [`CaseExplainer::aggregate`](crate::CaseExplainer::aggregate).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AggregateExplanation {
    /// The position of the sample in its batch.
    pub sample: usize,
    /// The predicted class; `None` where the neighbours were asked to vote and all weigh 0.
    pub predicted: Option<i64>,
    /// Agreement of the neighbours with the prediction, in [0, 1]; `None` where undefined. The weights
    /// behind it are not released: one of them alone would tell a distance.
    pub correspondence: Option<f64>,
    /// The correspondence in words.
    pub level: Level,
    /// How many neighbours were asked.
    pub n_neighbors: usize,
    /// The share of the neighbours that has each class, by count; the shares add up to 1.
    pub class_shares: BTreeMap<i64, f64>,
    /// The least and the largest distance of a neighbour; `None` without neighbours.
    pub distance_range: Option<(f64, f64)>,
    /// How many of the neighbours are distinct training rows.
    pub n_distinct: usize,
    /// How many training rows tie at rank `k`; 0 if none of them is left out. See
    /// [`Neighbors::ties_at_k`](crate::search::Neighbors::ties_at_k).
    #[cfg_attr(feature = "serde", serde(default))]
    pub ties_at_k: usize,
}

impl AggregateExplanation {
    /// From neighbours in ascending distance.
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
