//! Similarities between samples and training rows.

pub(crate) mod closure;
pub(crate) mod embedding;
pub(crate) mod forest_proximity;
pub(crate) mod leaf_index;
pub(crate) mod retrieval;
pub(crate) mod strategy;
pub(crate) mod tree_leaf;

pub use closure::ClosureError;
pub use embedding::Embedding;
pub use forest_proximity::ForestProximity;
pub use strategy::SimilarityKind;
pub use tree_leaf::{Overflow, TreeLeaf};
