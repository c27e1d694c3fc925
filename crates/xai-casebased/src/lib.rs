//! Does a prediction agree with its nearest training cases?
//!
//! A case-based explanation shows the training rows nearest to a sample, its precedents, and one
//! number: the [`correspondence`](crate::correspondence()), the share of the neighbours' weight that
//! has the predicted class.
//!
//! # Which part when
//!
//! - [`correspondence()`]: neighbours are known already, from any index or database; the choices are in
//!   [`correspondence`](mod@crate::correspondence).
//! - [`CaseExplainer`]: from training rows to explanations; scaling, exact search and
//!   correspondence in one. A [`similarity`] replaces the features by hidden activations or the leaves
//!   of trees; redaction and [`AggregateExplanation`] keep what is private private.
//! - [`Audit`]: explanations of a whole data set in one report, also of more than fits in memory.
//! - [`data_attribution`]: how good explanations by training cases are, from any explainer.
//! - [`search`]: only the neighbours, by [`search::KdTree`] or [`search::BruteForce`]. Both give the
//!   same answer to the last bit.
//! - [`registry`]: what each metric asks, and which values are better. [`input`] and [`help`]: what
//!   errors are about, and what can be done.
//!
//! # What the number does not tell
//!
//! Agreement with precedents is not correctness: neighbours can agree with a wrong prediction. It
//! depends on the features' scales, on the distance and on `k`; compare values of one setting only. The
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
pub use result::{AggregateExplanation, Audit, AuditReport, Case, Explanation, TrainingInfo};
pub use search::{Engine, NeighborSearch};
pub use similarity::Similarity;
pub use xai_core::{Accumulator, Distance, Error, ErrorKind, Kernel, Label, Result, Weighting};

// They may be sent to other threads, and shared among them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Audit>();
    crosses_threads::<CaseExplainer>();
    crosses_threads::<CaseExplainerBuilder>();
    crosses_threads::<CorrespondenceMetric>();
    crosses_threads::<Explanation>();
};
