//! Summary of one metric over all pairs, as written to reports.

use xai_core::{Interval, Summary};

/// Report of one metric over all pairs of runs: distribution, interval for the mean, and values.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MetricReport {
    /// Mean over the pairs.
    pub mean: Option<f64>,
    /// Standard deviation over the pairs (denominator `n − 1`).
    pub std: Option<f64>,
    /// Smallest value.
    pub min: Option<f64>,
    /// Median; `None` if the values were not kept.
    pub median: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Number of pairs for which the metric is defined.
    pub n_defined: usize,
    /// Lower and upper end of the interval for the mean, over runs.
    pub interval: Option<[f64; 2]>,
    /// True for a BCa interval of [few runs](Interval::is_small_sample) (20 or fewer), which covers the mean less often
    /// than its level says.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub small_sample: bool,
    /// Value of each pair, in the order of [`pairs`](crate::pairwise::pairs). Empty if the values were not kept.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub pairs: Vec<Option<f64>>,
}

impl MetricReport {
    /// Creates a report from a summary of the values, an interval for their mean, and the values.
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

/// Serialises named reports as one object in the given order.
#[cfg(feature = "serde")]
pub(crate) fn by_name<S: serde::Serializer>(
    reports: &[(&'static str, MetricReport)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(reports.iter().map(|(name, report)| (name, report)))
}
