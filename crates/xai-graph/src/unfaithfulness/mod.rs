//! Unfaithfulness: Kullback–Leibler divergence between the outputs on the whole graph and on the explanation, mapped to
//! [0, 1].

pub(crate) mod kl_divergence;
pub(crate) mod metric;
mod row_divergence;

pub use kl_divergence::{kl_divergence, kl_divergence_from_logs};
pub use metric::UnfaithfulnessAccumulator;
