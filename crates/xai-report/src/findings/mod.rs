//! What the numbers say, in sentences. Every sentence follows from numbers of the report by a rule; the rules
//! stand in `docs/report.md`.

mod attribution;
mod casebased;
mod compared;
mod data_attribution;
mod finding;
mod graph;
mod repro;
mod simulation;
mod texts;
mod words;

use crate::report::{MissingSection, Report};

pub use finding::{Finding, Verdict};

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
    findings.extend(report.texts.iter().flat_map(texts::findings));
    findings.extend(
        report
            .data_attribution
            .iter()
            .flat_map(data_attribution::findings),
    );
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
