//! Statistics: summaries, ranks, correlations, intervals and the signed-rank test.

mod centred;
pub(crate) mod correlation;
mod delong;
pub(crate) mod interval;
mod jackknife_with_counts;
mod kendall;
mod mean_interval;
pub(crate) mod ranks;
pub(crate) mod resampling;
mod signed_rank;
pub(crate) mod summary;
mod thresholds;

pub use centred::{Centred, Covariance};
pub use correlation::{Correlation, pearson};
pub use delong::auroc_interval;
pub use interval::{
    IntervalMethod, bootstrap_bca, bootstrap_percentile, bootstrap_replicates, jackknife,
};
pub use jackknife_with_counts::jackknife_with_counts;
pub use kendall::{PairOrders, kendall};
pub use mean_interval::{mean_interval, t_interval, unit_mean_interval, wilson};
pub use ranks::{
    auroc, average_precision, centred_ranks, correlate_ranks, mid_ranks, spearman, spearman_finite,
};
pub use signed_rank::{SignedRankTest, ZeroMethod, wilcoxon_signed_rank};
pub use summary::quantile;
pub use thresholds::{ThresholdPoint, thresholds};
