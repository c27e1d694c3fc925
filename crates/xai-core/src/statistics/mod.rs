//! Statistics of values: summaries, ranks, correlations, intervals.

mod coefficient;
mod correlation;
mod interval;
mod kendall;
pub mod ranks;
mod summary;
mod wilson;

pub use coefficient::Correlation;
pub use correlation::pearson;
pub use interval::{
    Interval, IntervalMethod, bootstrap_bca, bootstrap_percentile, bootstrap_replicates, jackknife,
};
pub use kendall::{PairOrders, kendall};
pub use ranks::{auroc, average_precision, spearman};
pub use summary::{Summary, quantile};
pub use wilson::wilson;
