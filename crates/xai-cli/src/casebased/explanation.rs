//! Explained cases, as in the JSON.

use serde::Serialize;
use xai_metrics::casebased::{Explanation, Level};

/// One explained case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ExplanationResult {
    pub(crate) sample: usize,
    pub(crate) predicted: Option<i64>,
    #[serde(rename = "true")]
    pub(crate) truth: Option<i64>,
    pub(crate) correspondence: Option<f64>,
    pub(crate) level: Level,
    pub(crate) neighbors: Vec<NeighborResult>,
}

/// One neighbour.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NeighborResult {
    pub(crate) index: usize,
    pub(crate) distance: f64,
    pub(crate) label: i64,
}

impl From<&Explanation> for ExplanationResult {
    fn from(e: &Explanation) -> Self {
        let neighbors = e.neighbors.iter().map(|case| NeighborResult {
            index: case.index,
            distance: case.distance,
            label: case.label,
        });
        Self {
            sample: e.sample,
            predicted: e.predicted,
            truth: e.truth,
            correspondence: e.correspondence.score,
            level: e.correspondence.level,
            neighbors: neighbors.collect(),
        }
    }
}
