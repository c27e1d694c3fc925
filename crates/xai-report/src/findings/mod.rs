//! What the numbers say, in sentences. Every sentence follows from numbers of the report by a rule; the rules
//! stand in `docs/report.md`.

mod attribution;
mod casebased;
mod graph;
mod repro;
mod simulation;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::estimate::Estimate;
use crate::family::Origin;
use crate::report::{MissingSection, Report};

/// The findings of all sections, in the order of the page; what is missing comes first.
///
/// ```
/// use xai_report::{Family, MissingSection, Origin, Report, findings};
/// let mut report = Report::new("Digits");
/// report.missing.push(MissingSection {
///     origin: Origin::new(Family::Graph, 1, "Molecules"),
///     error: "masks.npy: cannot be read".to_owned(),
///     help: None,
/// });
/// assert_eq!(findings(&report)[0].text, "“Molecules” could not be computed: masks.npy: cannot be read.");
/// ```
#[must_use]
pub fn findings(report: &Report) -> Vec<Finding> {
    let mut findings: Vec<Finding> = report.missing.iter().map(missing).collect();
    findings.extend(report.casebased.iter().flat_map(casebased::findings));
    findings.extend(report.attribution.iter().flat_map(attribution::findings));
    findings.extend(report.graph.iter().flat_map(graph::findings));
    findings.extend(report.repro.iter().flat_map(repro::findings));
    findings.extend(report.simulation.iter().flat_map(simulation::findings));
    findings
}

fn missing(section: &MissingSection) -> Finding {
    let text = format!(
        "“{}” could not be computed: {}.",
        section.origin.name, section.error
    );
    Finding::new(&section.origin, Verdict::Missing, text)
}

/// One sentence that follows from numbers by a rule, see `docs/report.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The [`id`](Origin::id) of the section that it is about.
    pub section: String,
    /// What kind of finding it is.
    pub verdict: Verdict,
    /// The sentence.
    pub text: String,
    /// The number that it rests on, with its interval.
    pub estimate: Option<Estimate>,
}

impl Finding {
    /// A finding about a section.
    pub(crate) fn new(origin: &Origin, verdict: Verdict, text: String) -> Self {
        Self {
            section: origin.id.clone(),
            verdict,
            text,
            estimate: None,
        }
    }

    /// With the number that it rests on.
    pub(crate) fn with(self, estimate: &Estimate) -> Self {
        Self {
            estimate: Some(*estimate),
            ..self
        }
    }
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Better than chance or than the other, and more than chance explains.
    AboveChance,
    /// Not told apart from chance, or from each other.
    NotToldApart,
    /// Worse than chance, and more than chance explains.
    BelowChance,
    /// Undefined, or defined for too few to say more.
    Undefined,
    /// A number where there is no chance level to hold it against.
    Described,
    /// The section could not be computed.
    Missing,
}
