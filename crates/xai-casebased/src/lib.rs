//! Explanations of predictions by their nearest training cases.
//!
//! A case-based explanation shows the training rows nearest to a sample (its precedents) and one
//! number, the [`correspondence`](crate::correspondence()): the share of the neighbours' total weight
//! held by neighbours of the predicted class.
//!
//! # Where to start
//!
//! - [`correspondence()`]: scores predictions whose neighbours are already known, from any index or
//!   database. Weights and thresholds are in [`correspondence`](mod@crate::correspondence).
//! - [`CaseExplainer`]: goes from training rows to explanations, with scaling, exact search and
//!   correspondence. A [`similarity`] compares hidden activations or tree leaves instead of features;
//!   redaction and [`AggregateExplanation`] protect private data.
//! - [`Audit`]: summarises the explanations of a whole data set, also of one that does not fit in memory.
//! - [`data_attribution`]: evaluates explanations by training cases, from any explainer.
//! - [`search`]: finds neighbours only, with [`search::KdTree`] or [`search::BruteForce`]. Both give
//!   the same results to the last bit.
//! - [`registry`]: describes each metric and says which values are better. [`input`] and [`help`] name
//!   the inputs in errors and suggest fixes.
//!
//! # Interpreting correspondence
//!
//! Agreement with precedents is not correctness: neighbours can agree with a wrong prediction. The
//! value depends on the scales of the features, the distance and `k`, so only compare values computed
//! with the same settings. The levels *high*, *medium* and *low* are conventions, not probabilities.
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
//! - `rayon` (default): processes queries in parallel. Results are bit-identical without it.
//! - `serde`: makes results serializable.
//! - `persistence`: saves and loads fitted explainers.
//! - `approximate`: adds a graph search for millions of rows with many features; its recall is measured.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod correspondence;
pub mod data_attribution;
pub mod explainer;
pub mod help;
pub mod input;
pub mod registry;
pub mod result;
pub mod search;
pub mod similarity;
pub mod training;

pub use correspondence::{
    ClassWeights, Correspondence, CorrespondenceMetric, Level, Thresholds, correspondence,
};
pub use explainer::{CaseExplainer, CaseExplainerBuilder, RowDistance};
pub use registry::FAMILY;
pub use result::{AggregateExplanation, Audit, AuditReport, Case, Explanation, TrainingInfo};
pub use search::{Engine, NeighborSearch};
pub use similarity::Similarity;
pub use xai_core::{Accumulator, Distance, Error, ErrorKind, Kernel, Label, Result, Weighting};

#[doc(inline)]
pub use xai_core::stop;

// Checked at compile time, because a closure or a cell in a private field would silently remove `Send` or `Sync`.
const _: () = {
    const fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Audit>();
    assert_send_sync::<CaseExplainer>();
    assert_send_sync::<CaseExplainerBuilder>();
    assert_send_sync::<CorrespondenceMetric>();
    assert_send_sync::<Explanation>();
};
