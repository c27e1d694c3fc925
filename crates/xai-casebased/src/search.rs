//! Nearest-neighbour search over fixed training rows.
//!
//! [`NeighborSearch`](crate::NeighborSearch) is the interface of all engines. [`KdTree`] and [`BruteForce`] are exact
//! and give the same answer to the last bit; [`Engine`](crate::Engine) chooses between them. The `approximate` feature
//! adds a graph search that finds most of the neighbours. [`distances`] computes all distances without a search.
//!
//! The engines are those of the crate [`xai_neighbors`].

#[cfg(feature = "approximate")]
pub use xai_neighbors::{ApproximateSearch, Hnsw};
pub use xai_neighbors::{BruteForce, KdTree, Nearest, Neighbors, Queries, distances};
