//! Statistics of values: summaries, ranks, correlations, intervals.

mod correlation;
mod interval;
pub mod ranks;
mod summary;
mod wilson;

pub use correlation::pearson;
pub use interval::{
    Interval, IntervalMethod, bootstrap_bca, bootstrap_percentile, bootstrap_replicates, jackknife,
};
pub use ranks::{auroc, average_precision, spearman};
pub use summary::{Summary, quantile};
pub use wilson::wilson;
