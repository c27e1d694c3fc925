//! Unfaithfulness: divergence of the outputs on the explanation from those on the whole graph.

pub(crate) mod kl_divergence;
pub(crate) mod metric;
mod row_divergence;

pub use kl_divergence::{kl_divergence, kl_divergence_from_logs};
pub use metric::{
    KlDirection, Unfaithfulness, UnfaithfulnessAccumulator, UnfaithfulnessMetric, unfaithfulness,
};
