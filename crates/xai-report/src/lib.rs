//! A report on the quality of explanations: results of metrics in, `report.json` and a page of HTML out.
//!
//! A [`Report`] has a [section] for everything that was measured. A section is made from the results of a family's
//! library; [`findings()`] says in sentences what the numbers mean, [`page()`] draws everything on one page that asks
//! nothing of any other place, [`Report::to_json`] writes the numbers, and [`diff()`] compares two reports. Nothing here
//! computes a metric or opens a file.
//!
//! ```
//! use ndarray::array;
//! use xai_repro::{PackedRuns, Pairwise, RunInterval, registry::PAIR_METRICS};
//! use xai_report::section::repro::Repro;
//! use xai_report::{Family, Origin, Report, findings, page};
//!
//! // Three runs predict four samples.
//! let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
//! let runs = PackedRuns::new(PAIR_METRICS, predictions.view(), &[0, 1, 1, 0])?;
//! let result = Pairwise::new().report(&runs, RunInterval::Jackknife, 0.95)?;
//!
//! let mut report = Report::new("Three runs");
//! let origin = Origin::new(Family::Repro, 1, "small networks");
//! report.repro.push(Repro::new(origin, PAIR_METRICS, &result, &[]));
//! report.findings = findings(&report);
//!
//! assert!(page(&report).contains("Do repeated trainings make the same predictions"));
//! assert!(report.to_json()?.contains("\"n_runs\": 3"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Sections
//!
//! | section | is made from |
//! |---|---|
//! | [`Casebased`](section::casebased::Casebased) | an [audit](xai_casebased::AuditReport) |
//! | [`Attribution`](section::attribution::Attribution) | a [table of explainers and metrics](xai_attribution::evaluation::EvaluationTable), and [maps](section::gallery) of some samples |
//! | [`Graph`](section::graph::Graph) | a [sweep](xai_graph::dataset::SweepCurve) over sizes of the explanation for each explainer, and its mask |
//! | [`Repro`](section::repro::Repro) | a [report on all pairs of runs](xai_repro::pairwise::PairwiseReport) |
//! | [`Simulation`](section::simulation::Simulation) | the [summary](xai_repro::study::StudySummary) of a simulation study |
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod diff;
mod estimate;
mod family;
mod finding;
mod findings;
mod markup;
mod origin;
mod page;
mod picture;
mod report;
pub mod section;
pub mod text;

pub use diff::{Diff, diff};
pub use estimate::{Estimate, Histogram};
pub use family::Family;
pub use finding::{Finding, Verdict};
pub use findings::findings;
pub use origin::{InputFile, Origin};
pub use page::page;
pub use report::{Error, MissingSection, Report, SCHEMA_VERSION};
