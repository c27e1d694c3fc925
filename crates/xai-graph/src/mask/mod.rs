//! Masks by themselves: made hard, made of the top features, described.

pub(crate) mod largest;
pub(crate) mod properties;
pub(crate) mod sparsify;
mod top_k;
pub(crate) mod undirected_edges;
pub(crate) mod unit;

pub use properties::{MaskMetric, MaskProperties};
pub use sparsify::{Sparsity, sparsify, sparsify_undirected};
pub use top_k::{top_k_feature_mask, top_k_features};
