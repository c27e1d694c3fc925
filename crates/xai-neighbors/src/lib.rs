//! Exact nearest-neighbour search over fixed training rows.
//!
//! [`NeighborSearch`] is the interface of the engines. Exact engines give the answer of a plain scan in `f64`, to the
//! last bit, and [`Engine::Auto`] chooses between the first two:
//!
//! | engine | when |
//! |---|---|
//! | [`KdTree`] | few features, or clustered rows; distances of the Minkowski family |
//! | [`BruteForce`] | many features, few queries, or any other `Distance` |
//! | `ApproximateSearch` (feature `approximate`) | millions of rows with many features; finds most of the neighbours |
//!
//! [`CustomScan`] compares rows by a function of your own.
//! [`distances`] computes all distances without a search.
//!
//! ```
//! use ndarray::array;
//! use xai_neighbors::{Distance, Engine};
//! let train = array![[0.0, 1.0], [0.2, 0.9], [4.0, 5.0]];
//! let search = Engine::Auto.build(train.view(), Distance::Manhattan)?;
//! let found = search.nearest(&[4.0, 4.0], 2)?;
//! assert_eq!((found[0].index, found[0].distance), (2, 1.0));
//! # Ok::<(), xai_neighbors::Error>(())
//! ```
//!
//! [`ClassSearch`] searches among the rows of each class, and [`MixedEmbedding`] prepares rows with numbers and
//! categories, so that engines search by Gower's distance and others. For searches of your own, [`TrainingRows`] are
//! checked once and scaled as they are read, and [`KNearest`] selects neighbours among candidates from elsewhere in the
//! same order.
//!
//! # Features
//!
//! - `rayon` (default): searches for queries in parallel. Results are bit-identical without it.
//! - `serde`: makes neighbours and engines serializable.
//! - `approximate`: adds a graph search for millions of rows with many features; its recall is measured.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

mod all_pairs;
#[cfg(feature = "approximate")]
mod approximate;
mod auto;
mod brute_force;
mod build;
mod class_search;
mod cost;
mod custom_scan;
mod engine;
#[doc(hidden)]
pub mod help;
#[cfg(feature = "approximate")]
mod hnsw;
pub mod input;
mod k_nearest;
mod kd_tree;
mod kernel;
mod mixed_embedding;
mod nearest;
mod neighbor_search;
mod queries;
mod standardization;
mod training_rows;

pub use all_pairs::distances;
#[cfg(feature = "approximate")]
pub use approximate::ApproximateSearch;
pub use brute_force::BruteForce;
pub use class_search::ClassSearch;
#[doc(hidden)]
pub use custom_scan::UNRESTRICTED;
pub use custom_scan::{CustomDistance, CustomScan};
pub use engine::Engine;
#[cfg(feature = "approximate")]
pub use hnsw::Hnsw;
pub use k_nearest::KNearest;
pub use kd_tree::KdTree;
pub use mixed_embedding::{MixedAggregation, MixedEmbedding, MixedFeature};
pub use nearest::{Nearest, Neighbors};
pub use neighbor_search::NeighborSearch;
#[doc(hidden)]
pub use neighbor_search::{check_distances, with_original_index};
pub use queries::Queries;
pub use standardization::{SPREADS, Standardization};
pub use training_rows::TrainingRows;
#[doc(hidden)]
pub use training_rows::check_non_empty;

#[doc(no_inline)]
pub use ndarray;
#[doc(no_inline)]
pub use xai_core::tensor::Rows;
#[doc(no_inline)]
pub use xai_core::{Distance, Error, ErrorKind, Result};
