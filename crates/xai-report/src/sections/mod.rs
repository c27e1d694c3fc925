//! The sections of a report, each in a folder of its own.
//!
//! ```text
//! sections/<key>/mod.rs       `SectionKind` (key, title, question, limits) and `impl Section`
//!                data.rs      the values in report.json and their conversion from results of the library
//!                findings.rs  sentences that follow from the values
//!                page.rs      blocks of the page: figures, tables and text
//! sections/compared/          code shared by sections that compare explainers, not a section itself
//! sections/runs/              code shared by sections about repeated runs, not a section itself
//!
//!             ┌ report.rs   the fields of `Report` (also report.json and its schema), `Report::sections`, `KINDS`
//! the list  ──┤ findings    `Section::findings` of each section
//! (below)     │ diff        `Section::figures` of each section
//!             └ page        `Section::page` of each section, under the title of its kind
//! ```
//!
//! Sections are plain data. They open no files and compute no metrics, so that the command line and
//! Python create the same sections. The command line has a file per section in `report/sections`,
//! which defines the keys of a study.
//!
//! To add a section, create a folder with the files above and add its module and its entry of the list below.

pub mod attribution;
pub mod casebased;
pub mod compared;
pub mod counterfactual;
pub mod data_attribution;
pub mod graph;
pub mod regression;
pub mod repro;
pub mod runs;
pub mod simulation;
pub mod texts;

/// Calls a macro with the list of all sections, in the order of the page, as `key: Type`. Sections
/// that older reports do not have are optional in `report.json`.
macro_rules! with_sections {
    ($expand:ident) => {
        $expand! {
            casebased: Casebased,
            attribution: Attribution,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            texts: Texts,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            data_attribution: DataAttribution,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            counterfactual: Counterfactual,
            graph: Graph,
            repro: Repro,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            regression: Regression,
            simulation: Simulation,
        }
    };
}
pub(crate) use with_sections;
