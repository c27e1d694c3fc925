//! Distributions of a metric over pairs of runs, and confidence intervals over runs.

pub(crate) mod metric_report;
pub(crate) mod pair_distribution;
pub(crate) mod run_interval;

pub use metric_report::MetricReport;
pub use pair_distribution::PairDistribution;
pub use run_interval::IntervalMethod;
