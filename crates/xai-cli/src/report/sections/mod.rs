//! The kinds of sections of a study, with a file for each.
//!
//! A file declares the commands whose options are the keys of the section, and implements reading, computing, checking
//! and drafting the section and its summary for the terminal. The results and the page are in `xai-report`, which has a
//! folder for each kind. To add a kind, add a file here, its module and its entry in [`SECTIONS`].

mod attribution;
mod casebased;
mod counterfactual;
mod data_attribution;
mod graph;
mod regression;
mod repro;
mod simulation;
#[cfg(test)]
mod testing;
mod texts;

use std::path::Path;

use xai_files::Failure;

use crate::report::section::StudySection;
use crate::report::study::document::{Document, Section};
use crate::report::study::prepare::SectionKeys;

/// All kinds of sections, in the order of the report.
pub(crate) const SECTIONS: &[&dyn StudySection] = &[
    &casebased::CasebasedSection,
    &attribution::AttributionSection,
    &texts::TextsSection,
    &data_attribution::DataAttributionSection,
    &counterfactual::CounterfactualSection,
    &graph::GraphSection,
    &repro::ReproSection,
    &regression::RegressionSection,
    &simulation::SimulationSection,
];

/// Returns the kind of a section and its keys. Paths are relative to `folder`, and `seed` is that of the command line.
///
/// # Errors
/// If the section has an unknown key or a wrong `seed`, or if this build does not have its kind. The error shows the
/// line.
pub(crate) fn open<'a>(
    (document, section): (&'a Document, &'a Section),
    folder: &'a Path,
    seed: Option<u64>,
) -> Result<(&'static dyn StudySection, SectionKeys<'a>), Failure> {
    let mut kinds = SECTIONS.iter().copied();
    let found = kinds.find(|other| other.kind() == section.kind);
    let kind = found.ok_or_else(|| {
        document.text.failure(
            section.at.clone(),
            "this build of xai does not have this kind of section",
        )
    })?;
    let (commands, explainers) = (kind.commands(), kind.explainers());
    let mut keys = SectionKeys::new((document, section), folder, &commands, explainers);
    keys.check(seed)?;
    Ok((kind, keys))
}

#[cfg(test)]
mod tests {
    use super::SECTIONS;

    #[test]
    fn every_section_of_a_report_can_be_in_a_study() {
        let kinds: Vec<_> = SECTIONS.iter().map(|section| section.kind()).collect();
        assert_eq!(kinds, xai_report::KINDS);
    }
}
