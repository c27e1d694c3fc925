//! Measures how good explanations of machine-learning predictions are.
//!
//! One dependency for all families of metrics, with a feature for each:
//!
//! | feature and module | question |
//! |---|---|
//! | [`attribution`] | does the model still believe its answer on what an attribution map keeps? |
//! | [`casebased`] | does a prediction agree with its nearest training cases? |
//! | [`counterfactual`] | are counterfactuals valid, near, plausible and possible? |
//! | [`graph`] | is an explanatory subgraph sufficient and necessary? |
//! | [`repro`] | do repeated trainings make the same predictions, and the same errors? |
//!
//! With one family in mind, depend on that family's crate, which is smaller and has the same items, or switch off the
//! others:
//!
//! ```toml
//! [dependencies]
//! xai-metrics = { version = "0.1", default-features = false, features = ["counterfactual"] }
//! ```
//!
#![cfg_attr(feature = "casebased", doc = "```")]
#![cfg_attr(not(feature = "casebased"), doc = "```ignore")]
//! use xai_metrics::prelude::*;
//! // Distances of the five nearest training cases, their classes, and the predicted class.
//! let c = correspondence(&[0.1, 0.2, 0.3, 0.5, 0.8], &[1, 1, 1, 0, 1], 1)?;
//! // The correspondence: the share of their weight that cases of the predicted class have.
//! assert!((c.score.unwrap() - 0.8685).abs() < 5e-5);
//! assert_eq!(c.level, Level::High);
//! # Ok::<(), xai_metrics::Error>(())
//! ```
//!
//! # Modules
//!
//! - One per family, as above. Each begins with an example and a map of its own modules.
//! - [`prelude`]: what most programs use of all enabled families.
//! - [`common`]: what the families share: errors, distances, statistics, [stopping](common::stop), and how far a metric
//!   can be trusted ([`common::reliability`]).
//!
//! The registry ([`families`], [`find`], [`operations`]) has the names, descriptions and parameters of all metrics, for
//! programs that list, find or document them.
//!
//! # Features
//!
//! - `attribution`, `casebased`, `counterfactual`, `graph`, `repro` (default): the families.
//! - `rayon` (default): parallel loops. Results are bit-identical without it.
//! - `serde`: serialization of results and states of the enabled families.
//! - `f32`: attribution metrics by name in single precision.
//! - `persistence`: files of fitted case-based explainers.
//! - `approximate`: approximate search in case-based explainers.
//!
//! # Models of other libraries
//!
//! Models are closures, so they may come from any library. The pages of the families show adapters of a few lines, and
//! [`examples/adapters`](https://github.com/xai-metrics/xai-metrics/tree/main/examples/adapters) has programs for
//! candle, burn, ONNX Runtime, tract, linfa, smartcore, petgraph, image and arrow.
//!
//! # Arrays
//!
//! Signatures use the version of `ndarray` that is re-exported as [`ndarray`]. Arrays of another
//! version are passed as slices, [as shown there](common#arrays).
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

#[cfg(feature = "attribution")]
#[doc(inline)]
pub use xai_attribution as attribution;
#[cfg(feature = "casebased")]
#[doc(inline)]
pub use xai_casebased as casebased;
#[doc(inline)]
pub use xai_core as common;
#[doc(no_inline)]
pub use xai_core::ndarray;
#[cfg(feature = "counterfactual")]
#[doc(inline)]
pub use xai_counterfactual as counterfactual;
#[cfg(feature = "graph")]
#[doc(inline)]
pub use xai_graph as graph;
#[cfg(feature = "repro")]
#[doc(inline)]
pub use xai_repro as repro;

use xai_core::describe::{Family, FamilyMetric, Operation, find_in_families};
pub use xai_core::{Accumulator, Error, ErrorKind, Result};

/// All families, in the order of the documentation. Programs that list, find or document metrics start here.
#[must_use]
pub fn families() -> &'static [&'static Family] {
    &[
        #[cfg(feature = "attribution")]
        &attribution::FAMILY,
        #[cfg(feature = "casebased")]
        &casebased::FAMILY,
        #[cfg(feature = "counterfactual")]
        &counterfactual::FAMILY,
        #[cfg(feature = "graph")]
        &graph::FAMILY,
        #[cfg(feature = "repro")]
        &repro::FAMILY,
        &common::reliability::FAMILY,
    ]
}

/// Finds a metric of any family by its name or its name in another package, see [`find_in_families`].
///
/// The result describes the metric. To compute it, pass its name to its family: `attribution::metric::registry` has
/// `from_setting`, which builds a metric, and `counterfactual::registry` has `evaluate`, which computes one.
///
/// # Errors
/// An invalid parameter for a name that no metric has, with similar names, and for a name that several metrics have.
///
#[cfg_attr(feature = "casebased", doc = "```")]
#[cfg_attr(not(feature = "casebased"), doc = "```ignore")]
/// let found = xai_metrics::find("dattri.lds")?;
/// assert_eq!((found.family.name, found.entry.info.name), ("casebased", "linear-datamodeling-score"));
/// assert_eq!(found.entry.params()[0].name, "correlation");
/// # Ok::<(), xai_metrics::Error>(())
/// ```
pub fn find(name: &str) -> Result<FamilyMetric> {
    find_in_families(families(), name)
}

/// Commands and functions with parameters of all families.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    families().iter().flat_map(|family| family.operations)
}

/// What most programs use, of every enabled family.
///
#[cfg_attr(feature = "casebased", doc = "```")]
#[cfg_attr(not(feature = "casebased"), doc = "```ignore")]
/// use xai_metrics::prelude::*;
/// let c = correspondence(&[0.1, 0.4], &[1, 1], 1)?;
/// assert_eq!(c.level, Level::High);
/// # Ok::<(), xai_metrics::Error>(())
/// ```
pub mod prelude {
    #[cfg(feature = "attribution")]
    pub use xai_attribution::{
        Benchmark, Evaluate,
        metric::{
            AverageDrop, AverageGain, AverageIncrease, BaseScorePolicy, Deletion, Insertion,
            MuFidelity, complexity, sparseness,
        },
        model::{Concurrent, Model},
        perturbation::Baseline,
    };
    #[cfg(feature = "casebased")]
    pub use xai_casebased::{CaseExplainer, Kernel, Level, correspondence};
    pub use xai_core::{Accumulator, Activation, Distance, Error, ErrorKind, InputLayout, Result};
    #[cfg(feature = "counterfactual")]
    pub use xai_counterfactual::{CounterfactualData, CounterfactualMetric, Reference, Schema};
    #[cfg(feature = "graph")]
    pub use xai_graph::{
        Characterization, FidelityMetric, GroundTruthMetric, KlDirection, UnfaithfulnessMetric,
        fidelity, fidelity_curve_auc, unfaithfulness,
    };
    #[cfg(feature = "repro")]
    pub use xai_repro::{EmptyUnion, PairMetric, Pairwise};
}
