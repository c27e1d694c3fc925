//! The sections of a report, each in a folder of its own.
//!
//! ```text
//! sections/<key>/mod.rs       its `SectionKind` (key, title, question, limits) and its `impl Section`
//!                data.rs      the values in report.json, and how they are made from the results of the library
//!                findings.rs  the sentences that follow from the values
//!                page.rs      its part of the page: blocks of figures, tables and text
//! sections/compared/          what the sections that compare explainers share; no section of its own
//!
//!            ┌ report.rs   the fields of `Report` (so report.json, its schema), `Report::sections`, `KINDS`
//! the list ──┤ findings    `Section::findings` of each
//! (below)    │ diff        `Section::figures` of each
//!            └ page        `Section::blocks` of each, under the title of its kind
//! ```
//!
//! A section is plain data: it opens no file and computes no metric, so that the command line and Python make the same ones. How a
//! study asks for a section is up to the command line, which has a file per section in `report/sections`.
//!
//! To add one: a folder with the files above, and its two lines here, the module and the entry of the list.

pub mod attribution;
pub mod casebased;
pub mod compared;
pub mod data_attribution;
pub mod graph;
pub mod repro;
pub mod simulation;
pub mod texts;

/// Hands the list of all sections, in the order of the page, to a macro: the key in report.json, and the type. A section that older
/// reports lack is left out where it is empty.
macro_rules! with_sections {
    ($expand:ident) => {
        $expand! {
            casebased: Casebased,
            attribution: Attribution,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            texts: Texts,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            data_attribution: DataAttribution,
            graph: Graph,
            repro: Repro,
            simulation: Simulation,
        }
    };
}
pub(crate) use with_sections;
