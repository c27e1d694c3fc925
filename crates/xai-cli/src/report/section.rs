//! What every kind of section of a study has.

use xai_files::content::Content;
use xai_metrics::core::MetricInfo;
use xai_metrics::core::describe::Param;

use crate::report::study::arguments::NamedFile;
use crate::report::study::document::{Document, Section};

// What an implementation names.
pub(crate) use crate::Context;
pub(crate) use crate::report::init::draft::Draft;
pub(crate) use crate::report::init::found::Folder;
pub(crate) use crate::report::study::keys::CommandOfSection;
pub(crate) use crate::report::study::prepare::{Explainers, Prepared, SectionKeys, into_report};
pub(crate) use xai_files::Failure;
pub(crate) use xai_report::{Origin, Report, SectionKind};

/// A kind of section of a study: its keys, how it is computed, checked and drafted. Each is a file in `report/sections`.
pub(crate) trait StudySection: Sync {
    /// Its key and title.
    fn kind(&self) -> &'static SectionKind;

    /// The commands whose options are its keys, and keys that only studies have.
    fn commands(&self) -> Vec<CommandOfSection>;

    /// The tables of explainers that it has.
    fn explainers(&self) -> Explainers {
        Explainers::None
    }

    /// What its key `metrics` takes; `None` where there is no such key.
    fn metrics(&self) -> Option<MetricsOfKey> {
        None
    }

    /// Reads the keys.
    ///
    /// # Errors
    /// A value that a key cannot have, a key that is needed; shown where it stands.
    fn prepare(&self, keys: &SectionKeys<'_>) -> Result<Prepared, Failure>;

    /// What is wrong between the keys and the contents of the files that they name.
    fn check(
        &self,
        _study: (&Document, &Section),
        _contents: &[(NamedFile, Content)],
    ) -> Vec<Failure> {
        Vec::new()
    }

    /// Drafts the sections that the files of a folder make; `None` where they make none.
    fn init(&self, _folder: &Folder<'_>, _draft: &mut Draft) -> Option<()> {
        None
    }

    /// Its sections of a report as tables for the terminal.
    fn digest(&self, report: &Report) -> Vec<String>;

    /// The largest difference of a figure of the built-in study between two machines, as a share of its size if that is above 1:
    /// libraries have the same bits everywhere, less the last digit of numbers as text.
    fn tolerance(&self) -> f64 {
        1e-12
    }
}

/// The metrics that a key takes.
pub(crate) struct MetricsOfKey {
    pub(crate) metrics: Vec<(&'static MetricInfo, Vec<Param>)>,
    /// Words for several of them.
    pub(crate) groups: &'static [&'static str],
}
