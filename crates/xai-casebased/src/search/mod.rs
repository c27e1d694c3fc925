//! Nearest-neighbour search over fixed training rows.
//!
//! [`NeighborSearch`](crate::NeighborSearch) is the interface of all engines. [`KdTree`] and [`BruteForce`] are exact and give
//! the same answer to the last bit; [`Engine`](crate::Engine) chooses between them. The `approximate` feature adds a
//! graph search that finds most of the neighbours. [`distances`] computes all distances without a search.

pub(crate) mod all_pairs;
#[cfg(feature = "approximate")]
pub(crate) mod approximate;
pub(crate) mod auto;
pub(crate) mod brute_force;
pub(crate) mod build;
pub(crate) mod cost;
pub(crate) mod custom_scan;
pub(crate) mod engine;
#[cfg(feature = "approximate")]
pub(crate) mod hnsw;
pub(crate) mod k_nearest;
pub(crate) mod kd_tree;
pub(crate) mod kernel;
pub(crate) mod nearest;
pub(crate) mod neighbor_search;
pub(crate) mod queries;

pub use all_pairs::distances;
#[cfg(feature = "approximate")]
pub use approximate::ApproximateSearch;
pub use brute_force::BruteForce;
#[cfg(feature = "approximate")]
pub use hnsw::Hnsw;
pub use kd_tree::KdTree;
pub use nearest::{Nearest, Neighbors};
pub use queries::Queries;
