//! Intervals over runs, and what is reported of a metric over pairs.

pub(crate) mod metric_report;
pub(crate) mod pair_distribution;
pub(crate) mod run_interval;

pub use metric_report::MetricReport;
pub use pair_distribution::{PairDistribution, PairStatistic};
pub use run_interval::{IntervalMethod, RunInterval};
