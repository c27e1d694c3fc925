//! Sums, means and deviations that do not depend on the order of their terms.

mod compact_sum;
mod exact_sum;
mod moments;

pub use compact_sum::CompactSum;
pub use exact_sum::ExactSum;
pub use moments::{ExactMean, Moments};
