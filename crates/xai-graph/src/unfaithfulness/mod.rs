//! Unfaithfulness: how far the answer on the explanation is from the answer on the whole graph.

mod accumulator;
pub(crate) mod kl_divergence;
pub(crate) mod metric;
mod row_divergence;
mod row_pairs;
pub(crate) mod scores;
pub(crate) mod setup;

pub use accumulator::UnfaithfulnessAccumulator;
pub use kl_divergence::{kl_divergence, kl_divergence_from_logs};
pub use metric::{UnfaithfulnessMetric, unfaithfulness};
pub use scores::Unfaithfulness;
pub use setup::KlDirection;
