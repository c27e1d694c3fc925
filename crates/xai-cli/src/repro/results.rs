//! What the commands on pairs of runs have in common in their JSON.

use serde::Serialize;
use xai_metrics::core::{Interval, Summary};

/// The coverage of intervals.
pub(super) const LEVEL: f64 = 0.95;

/// One metric over all pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MetricResult {
    #[serde(flatten)]
    pub(crate) summary: SummaryResult,
    /// 95 %, over runs.
    pub(crate) interval: Option<[f64; 2]>,
    /// Empty with `--summary-only`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) pairs: Vec<Option<f64>>,
}

impl MetricResult {
    pub(super) fn new(
        summary: Summary,
        interval: Option<Interval>,
        pairs: Vec<Option<f64>>,
    ) -> Self {
        Self {
            summary: summary.into(),
            interval: interval.map(|i| [i.low, i.high]),
            pairs,
        }
    }
}

/// The values of one metric over some pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct SummaryResult {
    pub(crate) mean: Option<f64>,
    pub(crate) std: Option<f64>,
    pub(crate) min: Option<f64>,
    pub(crate) median: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) n_defined: usize,
}

impl From<Summary> for SummaryResult {
    fn from(summary: Summary) -> Self {
        Self {
            mean: summary.mean,
            std: summary.std,
            min: summary.min,
            median: summary.median,
            max: summary.max,
            n_defined: summary.n_defined,
        }
    }
}

/// Serialises named entries as one object, in their order.
pub(super) fn as_object<T: Serialize, S: serde::Serializer>(
    entries: &[(String, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(name, entry)| (name, entry)))
}
