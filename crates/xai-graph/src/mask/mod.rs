//! Masks by themselves: sparsification, top features, and properties.

pub(crate) mod properties;
pub(crate) mod sparsify;
pub(crate) mod top_k;

pub use properties::{MaskMetric, MaskProperties};
pub use sparsify::{Sparsity, sparsify, sparsify_undirected, tied_share};
pub use top_k::{TopFeatures, top_k_feature_mask, top_k_features};
