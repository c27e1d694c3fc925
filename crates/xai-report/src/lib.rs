#![doc = include_str!("../README.md")]
//!
//! # Sections
//!
//! | section | is made from |
//! |---|---|
//! | [`Casebased`](section::casebased::Casebased) | an [audit](xai_casebased::AuditReport) |
//! | [`Attribution`](section::attribution::Attribution) | a [table of explainers and metrics](xai_attribution::evaluation::EvaluationTable), and [maps](section::gallery) of some samples |
//! | [`Texts`](section::texts::Texts) | a [table](xai_core::evaluation::EvaluationTable) of metrics of what people marked, and the attributions of tokens |
//! | [`DataAttribution`](section::data_attribution::DataAttribution) | a [comparison of attributions to training cases](xai_casebased::data_attribution::AttributionComparison), and some of their rows |
//! | [`Graph`](section::graph::Graph) | a [sweep](xai_graph::dataset::SweepCurve) over sizes of the explanation for each explainer, and its mask |
//! | [`Repro`](section::repro::Repro) | a [report on all pairs of runs](xai_repro::pairwise::PairwiseReport) |
//! | [`Simulation`](section::simulation::Simulation) | the [summary](xai_repro::study::StudySummary) of a simulation study |
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![warn(missing_docs)]

pub mod diff;
mod estimate;
mod family;
mod findings;
mod markup;
mod page;
mod picture;
mod report;
pub mod section;
pub mod text;

pub use diff::{Diff, diff};
pub use estimate::{Estimate, Histogram};
pub use family::Family;
pub use family::{InputFile, Origin};
pub use findings::findings;
pub use findings::{Finding, Verdict};
pub use page::{GENERATOR, page};
pub use report::{Error, MissingSection, Report, SCHEMA_VERSION};

// They may be sent to other threads, and shared among them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Diff>();
    crosses_threads::<Error>();
    crosses_threads::<Report>();
};
