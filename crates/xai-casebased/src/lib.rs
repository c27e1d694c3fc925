//! Does a prediction agree with its nearest training cases?
//!
//! A case-based explanation shows the training rows nearest to a sample, its precedents, and one
//! number: the [`correspondence`](crate::correspondence()), the share of the neighbours' weight that
//! has the predicted class.
//!
//! # Which part when
//!
//! - [`correspondence()`]: neighbours are known already, from any index or database.
//! - [`CaseExplainer`]: from training rows to explanations; scaling, exact search and
//!   correspondence in one. [`Similarity`] replaces the features by hidden activations or the leaves
//!   of trees; redaction and [`AggregateExplanation`] keep what is private private.
//! - [`Audit`]: explanations of a whole data set in one report, also of more than fits in memory.
//! - [`KdTree`] and [`BruteForce`] behind [`NeighborSearch`]: only the neighbours. Both give the
//!   same answer to the last bit.
//!
//! # What the number does not tell
//!
//! Agreement with precedents is not correctness: neighbours can agree with a wrong prediction. It
//! depends on the features' scales, on the metric and on `k`; compare values of one setting only. The
//! levels *high*, *medium* and *low* are conventions, not probabilities.
//!
//! ```
//! use xai_casebased::{Level, correspondence};
//! let distances = [0.1, 0.2, 0.3, 0.5, 0.8];
//! let labels = [1, 1, 1, 0, 1];
//! let c = correspondence(&distances, &labels, 1)?;
//! assert!((c.score.unwrap() - 0.8685).abs() < 5e-5);
//! assert_eq!(c.level, Level::High);
//! # Ok::<(), xai_casebased::Error>(())
//! ```
//!
//! # Features
//!
//! - `rayon` (default): queries in parallel. Results are bit-identical without it.
//! - `serde`: results can be stored.
//! - `persistence`: fitted explainers can be saved and loaded.
//! - `approximate`: a graph search for millions of rows with many features, with its recall measured.
#![deny(unsafe_code)]

mod aggregate;
#[cfg(feature = "approximate")]
mod approximate;
mod audit;
mod brute_force;
mod class_weights;
mod correspondence;
mod direct_scan;
mod embedding;
mod explainer;
mod explanation;
mod filtered_scan;
mod forest_proximity;
mod k_nearest;
mod kd_tree;
mod leaf_index;
mod level;
mod matrix_product;
mod metadata;
#[cfg(feature = "persistence")]
mod persistence;
mod retrieval;
mod row_blocks;
mod search;
mod similarity;
mod standardization;
mod training_info;
mod training_rows;
mod tree_leaf;

pub use aggregate::AggregateExplanation;
#[cfg(feature = "approximate")]
pub use approximate::{ApproximateSearch, Hnsw};
pub use audit::{Audit, AuditClass, AuditGroup, AuditReport, LeastSupported, ReliabilityBin};
pub use brute_force::BruteForce;
pub use class_weights::ClassWeights;
pub use correspondence::{
    Correspondence, CorrespondenceMetric, correspondence, correspondence_of_pairs,
};
pub use embedding::Embedding;
pub use explainer::{CaseExplainer, CaseExplainerBuilder};
pub use explanation::{Case, Explanation};
pub use forest_proximity::ForestProximity;
pub use kd_tree::KdTree;
pub use level::{Level, Thresholds};
pub use metadata::{MetadataColumn, MetadataValue};
pub use search::{Engine, Nearest, NeighborSearch};
pub use similarity::Similarity;
pub use standardization::Standardization;
pub use training_info::TrainingInfo;
pub use tree_leaf::{Overflow, TreeLeaf};
pub use xai_core::{
    Accumulator, Distance, Error, Kernel, Label, Mahalanobis, Metric, Result, Weighting,
};
