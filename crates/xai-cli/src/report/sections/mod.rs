//! The kinds of sections of a study: a file each, and one list.
//!
//! A file says which commands the keys of the section are, how they are read and computed, what a check looks at, what `init` drafts of
//! a folder, and the digest for the terminal. The values and the page are in `xai-report`, which has a folder for each. To add one: a
//! file here, and its two lines below, the module and the entry of the list.

mod attribution;
mod casebased;
mod data_attribution;
mod graph;
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

/// All kinds of sections, in the order of a study.
pub(crate) const SECTIONS: &[&dyn StudySection] = &[
    &casebased::CasebasedSection,
    &attribution::AttributionSection,
    &texts::TextsSection,
    &data_attribution::DataAttributionSection,
    &graph::GraphSection,
    &repro::ReproSection,
    &simulation::SimulationSection,
];

/// The kind of a section and its keys, which are checked to be such. Paths begin in a folder; `seed` is that of the command line.
///
/// # Errors
/// A key that is none; shown where it stands.
pub(crate) fn open<'a>(
    (document, section): (&'a Document, &'a Section),
    folder: &'a Path,
    seed: Option<u64>,
) -> Result<(&'static dyn StudySection, SectionKeys<'a>), Failure> {
    let mut kinds = SECTIONS.iter().copied();
    let kind = kinds.find(|other| other.kind() == section.kind);
    let kind = kind.ok_or_else(|| {
        document
            .text
            .failure(section.at.clone(), "not in this build")
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
    fn every_section_of_a_report_can_be_asked_for_in_a_study() {
        let kinds: Vec<_> = SECTIONS.iter().map(|section| section.kind()).collect();
        assert_eq!(kinds, xai_report::KINDS);
    }
}
