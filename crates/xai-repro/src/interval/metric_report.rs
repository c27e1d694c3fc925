//! What is reported of one metric over all pairs.

use xai_core::{Interval, Summary};

/// One metric over all pairs of runs: its spread, an interval for the mean, and the values.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MetricReport {
    /// The mean over the pairs.
    pub mean: Option<f64>,
    /// The standard deviation over the pairs, with `n − 1`.
    pub std: Option<f64>,
    /// The smallest value.
    pub min: Option<f64>,
    /// The median; `None` where the values were not kept.
    pub median: Option<f64>,
    /// The largest value.
    pub max: Option<f64>,
    /// The number of pairs on which the metric is defined.
    pub n_defined: usize,
    /// The ends of an interval over runs for the mean.
    pub interval: Option<[f64; 2]>,
    /// Whether the interval is of [few runs](Interval::is_small_sample), and covers less often than its
    /// level says: a BCa interval of 20 or fewer.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub small_sample: bool,
    /// The value on each pair, pairs in order; empty where they were not kept.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub pairs: Vec<Option<f64>>,
}

impl MetricReport {
    /// From a summary of the values, an interval for their mean, and the values.
    #[must_use]
    pub fn new(summary: &Summary, interval: Option<Interval>, pairs: &[Option<f64>]) -> Self {
        Self {
            mean: summary.mean,
            std: summary.std,
            min: summary.min,
            median: summary.median,
            max: summary.max,
            n_defined: summary.n_defined,
            interval: interval.map(|interval| [interval.low, interval.high]),
            small_sample: interval.is_some_and(|interval| interval.is_small_sample()),
            pairs: pairs.to_vec(),
        }
    }
}

/// Serialises named reports as one object, in their order.
///
/// # Errors
/// Those of the serialiser.
#[cfg(feature = "serde")]
pub(crate) fn by_name<S: serde::Serializer>(
    reports: &[(&'static str, MetricReport)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(reports.iter().map(|(name, report)| (name, report)))
}
