//! The trait of the kinds of sections of a study.

use xai_files::content::Content;
use xai_metrics::common::describe::MetricInfo;
use xai_metrics::common::describe::Param;

use crate::report::study::arguments::NamedFile;
use crate::report::study::document::{Document, Section};

// Types that implementations use.
pub(crate) use crate::Context;
pub(crate) use crate::report::init::draft::Draft;
pub(crate) use crate::report::init::found::Folder;
pub(crate) use crate::report::study::keys::SectionCommand;
pub(crate) use crate::report::study::prepare::{Explainers, Prepared, SectionKeys, into_report};
pub(crate) use xai_files::Failure;
pub(crate) use xai_report::{Origin, Report, SectionKind};

/// A kind of section of a study: its keys, and how it is computed, checked and drafted. Each is a file in
/// `report/sections`.
pub(crate) trait StudySection: Sync {
    /// Returns its key and title.
    fn kind(&self) -> &'static SectionKind;

    /// Returns the commands whose options are the keys of the section, and keys that only studies have.
    fn commands(&self) -> Vec<SectionCommand>;

    /// Returns the form of its tables of explainers.
    fn explainers(&self) -> Explainers {
        Explainers::None
    }

    /// Returns the values of its key `metrics`; `None` if it has no such key.
    fn metrics(&self) -> Option<MetricsKey> {
        None
    }

    /// Reads the keys.
    ///
    /// # Errors
    /// If a value is invalid or a required key is missing. The error shows the line of the study.
    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure>;

    /// Returns contradictions between the keys and the contents of the files that they name.
    fn check(
        &self,
        _study: (&Document, &Section),
        _contents: &[(NamedFile, Content)],
    ) -> Vec<Failure> {
        Vec::new()
    }

    /// Drafts a section for the files of a folder; `None` if necessary files are missing.
    fn init(&self, _folder: &Folder<'_>, _draft: &mut Draft) -> Option<()> {
        None
    }

    /// Formats its sections of a report as tables for the terminal.
    fn digest(&self, report: &Report) -> Vec<String>;

    /// Returns the largest difference of a figure of the built-in study between two machines, relative to its size if
    /// that is above 1. Library results have the same bits everywhere; the default allows for the decimal text of
    /// expected values.
    fn tolerance(&self) -> f64 {
        1e-12
    }
}

/// Values of the key `metrics`.
pub(crate) struct MetricsKey {
    pub(crate) metrics: Vec<(&'static MetricInfo, Vec<Param>)>,
    /// Names of groups of metrics.
    pub(crate) groups: &'static [&'static str],
}
