//! Measures how good explanations of machine-learning predictions are.
//!
//! A facade: one dependency, one feature per family, no logic of its own.
//!
//! | module | asks | feature |
//! |---|---|---|
//! | [`casebased`] | does a prediction agree with its nearest training cases? | `casebased` |
//! | [`attribution`] | does the model still believe its answer on what an attribution map keeps? | `attribution` |
//! | [`graph`] | is an explanatory subgraph sufficient and necessary? | `graph` |
//! | [`repro`] | do repeated trainings make the same predictions, and the same errors? | `repro` |
//!
//! # Should I depend on this crate?
//!
//! With one family in mind, depend on that family's crate: it is smaller and has the same items.
//! This crate is for programs that use several, and for trying them out.
//!
//! Features `rayon` (default; parallel, results bit-identical without) and `serde` (results and
//! states can be stored) apply to every enabled family; `f32` makes attribution metrics by name in single precision, too.
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
pub use xai_core as core;
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
        #[cfg(feature = "graph")]
        &graph::FAMILY,
        #[cfg(feature = "repro")]
        &repro::FAMILY,
        &core::reliability::FAMILY,
    ]
}

/// Finds a metric of any family by its name or its name in another package, see [`find_in_families`].
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
        AverageDrop, AverageGain, AverageIncrease, BaseScorePolicy, Baseline, Concurrent, Deletion,
        Evaluate, Evaluation, Insertion, Model, MuFidelity, complexity, sparseness,
    };
    #[cfg(feature = "casebased")]
    pub use xai_casebased::{CaseExplainer, Kernel, Level, correspondence};
    pub use xai_core::{Accumulator, Activation, Distance, Error, ErrorKind, InputLayout, Result};
    #[cfg(feature = "graph")]
    pub use xai_graph::{
        Characterization, FidelityMetric, GroundTruthMetric, KlDirection, UnfaithfulnessMetric,
        fidelity, fidelity_curve_auc, unfaithfulness,
    };
    #[cfg(feature = "repro")]
    pub use xai_repro::{EmptyUnion, PairMetric, Pairwise};
}
