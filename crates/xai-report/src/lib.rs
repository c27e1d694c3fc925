#![doc = include_str!("../README.md")]
//!
//! # Sections
//!
//! | section | is made from |
//! |---|---|
//! | [`Casebased`](sections::casebased::Casebased) | an [audit](xai_casebased::AuditReport) |
//! | [`Attribution`](sections::attribution::Attribution) | a [table of explainers and metrics](xai_attribution::evaluation::EvaluationTable), and [maps](sections::attribution::gallery) of some samples |
//! | [`Texts`](sections::texts::Texts) | a [table](xai_core::evaluation::EvaluationTable) of metrics of what people marked, and the attributions of tokens |
//! | [`DataAttribution`](sections::data_attribution::DataAttribution) | a [comparison of attributions to training cases](xai_casebased::data_attribution::AttributionComparison), and some of their rows |
//! | [`Graph`](sections::graph::Graph) | a [sweep](xai_graph::dataset::SweepCurve) over sizes of the explanation for each explainer, and its mask |
//! | [`Repro`](sections::repro::Repro) | a [report on all pairs of runs](xai_repro::pairwise::PairwiseReport) |
//! | [`Simulation`](sections::simulation::Simulation) | the [summary](xai_repro::study::StudySummary) of a simulation study |
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![warn(missing_docs)]

pub mod diff;
mod estimate;
mod findings;
mod markup;
mod origin;
mod page;
mod picture;
mod report;
mod section;
pub mod sections;
pub mod text;

pub use diff::{Diff, diff};
pub use estimate::{Estimate, Histogram};
pub use findings::{Finding, Verdict};
pub use origin::{InputFile, Origin, SectionKind};
pub use page::{GENERATOR, page};
pub use report::{Error, KINDS, MissingSection, Report, SCHEMA_VERSION, findings};

// They may be sent to other threads, and shared among them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Diff>();
    crosses_threads::<Error>();
    crosses_threads::<Report>();
};
