//! What `report.json` holds: plain values, from which the page is drawn and two reports are compared.
//!
//! Every number is a result of the library, computed once. `xai report schema` prints the JSON Schema of
//! [`Report`], which is made from these types; [`SCHEMA_VERSION`] counts changes that a reader must know of.

pub(crate) mod attribution;
pub(crate) mod casebased;
pub(crate) mod estimate;
pub(crate) mod finding;
pub(crate) mod graph;
pub(crate) mod histogram;
pub(crate) mod origin;
pub(crate) mod repro;
pub(crate) mod simulation;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use attribution::Attribution;
use casebased::Casebased;
use finding::Finding;
use graph::Graph;
use origin::{InputFile, Origin};
use repro::Repro;
use simulation::Simulation;

/// Counts changes of the schema by which a program that reads `report.json` could be misled: a key that
/// goes or means something else. New keys do not count.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// A report on a study: `report.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Report {
    /// The version of this schema.
    pub(crate) schema_version: u32,
    /// The version of `xai` that made the report.
    pub(crate) xai_version: String,
    /// What the study is called.
    pub(crate) title: String,
    /// The seed of everything random.
    pub(crate) seed: u64,
    /// The study file.
    pub(crate) study: InputFile,
    /// The command that makes this report.
    pub(crate) command: String,
    /// What the numbers say, one sentence at a time, by the rules of the documentation.
    pub(crate) findings: Vec<Finding>,
    /// Do predictions agree with their nearest training cases?
    pub(crate) casebased: Vec<Casebased>,
    /// How good are attribution maps of a model?
    pub(crate) attribution: Vec<Attribution>,
    /// Are explanatory subgraphs sufficient and necessary?
    pub(crate) graph: Vec<Graph>,
    /// Do repeated trainings make the same predictions, and the same errors?
    pub(crate) repro: Vec<Repro>,
    /// How do the reproducibility metrics behave where the truth is known?
    pub(crate) simulation: Vec<Simulation>,
    /// Sections that could not be computed.
    pub(crate) missing: Vec<MissingSection>,
}

/// A section that could not be computed, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MissingSection {
    /// Where it would be, what it is called, what it was to be made from.
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// What was wrong: the file, the place, what was expected.
    pub(crate) error: String,
    /// The way out, where one is known.
    pub(crate) help: Option<String>,
}

impl Report {
    /// The origins of all sections that were computed, in the order of the page.
    pub(crate) fn origins(&self) -> impl Iterator<Item = &Origin> {
        let casebased = self.casebased.iter().map(|section| &section.origin);
        let attribution = self.attribution.iter().map(|section| &section.origin);
        let graph = self.graph.iter().map(|section| &section.origin);
        let repro = self.repro.iter().map(|section| &section.origin);
        let simulation = self.simulation.iter().map(|section| &section.origin);
        casebased
            .chain(attribution)
            .chain(graph)
            .chain(repro)
            .chain(simulation)
    }
}
