//! Comparison of two reports: which figures changed by more than their intervals, and which input
//! files differ.

mod changes;
pub(crate) mod figure;

use std::fmt;

use serde::Serialize;

use crate::origin::{InputFile, Origin};
use crate::report::Report;

pub use changes::{Change, ChangedSetting, Outcome};

/// Differences between two reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Diff {
    /// Number of figures that are worse beyond their intervals.
    pub n_worse: usize,
    /// Number of figures that are better beyond their intervals.
    pub n_better: usize,
    /// Number of figures that were computed with different settings.
    pub n_other_settings: usize,
    /// All figures of both reports.
    pub figures: Vec<Change>,
    /// Input files, of the sections that both reports have, whose contents differ or cannot be compared,
    /// or that only one report has.
    pub files: Vec<ChangedFile>,
    /// Versions of `xai` that wrote the old and the new report.
    pub xai_versions: [String; 2],
    /// Seeds of the old and the new report.
    pub seeds: [u64; 2],
}

/// Compares two reports.
///
/// Figures are matched by family, name of the section and name of the figure. Figures with
/// different settings (3 and 60 steps, with and without softmax) are reported as
/// [`Outcome::OtherSettings`] and not compared.
///
/// ```
/// use xai_report::{Report, diff};
/// let result = diff(&Report::new("last week"), &Report::new("today"));
/// assert_eq!((result.n_worse, result.figures.len()), (0, 0));
/// ```
#[must_use]
pub fn diff(old: &Report, new: &Report) -> Diff {
    let figures = changes::changes(old, new);
    let count = |outcome| {
        let matching = figures.iter().filter(|change| change.outcome == outcome);
        matching.count()
    };
    Diff {
        n_worse: count(Outcome::Worse),
        n_better: count(Outcome::Better),
        n_other_settings: count(Outcome::OtherSettings),
        files: changed_files(old, new),
        xai_versions: [old.xai_version.clone(), new.xai_version.clone()],
        seeds: [old.seed, new.seed],
        figures,
    }
}

/// An input file that differs between two reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChangedFile {
    /// Name of the section that reads the file.
    pub section: String,
    /// Path as written in the study.
    pub path: String,
    /// Kind of change.
    pub change: FileChange,
}

/// Kind of change of an input file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileChange {
    /// Different contents.
    Contents,
    /// Not a regular file in one of the reports, so that contents cannot be compared.
    Unknown,
    /// Read only for the new report.
    Added,
    /// Read only for the old report.
    Removed,
}

impl fmt::Display for FileChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Contents => "different contents",
            Self::Unknown => "unknown (not a regular file)",
            Self::Added => "only in the new report",
            Self::Removed => "only in the old report",
        })
    }
}

/// Changed files of the sections that both reports have. A renamed file with the same contents is unchanged.
pub(super) fn changed_files(old: &Report, new: &Report) -> Vec<ChangedFile> {
    let mut changed = Vec::new();
    for section in new.origins() {
        let is_same =
            |other: &&Origin| (&other.family, &other.name) == (&section.family, &section.name);
        if let Some(before) = old.origins().find(is_same) {
            changed.extend(changed_files_of_section(before, section));
        }
    }
    changed
}

fn changed_files_of_section(old: &Origin, new: &Origin) -> Vec<ChangedFile> {
    let has_contents = |files: &[InputFile], file: &InputFile| {
        file.sha256.is_some() && files.iter().any(|other| other.sha256 == file.sha256)
    };
    let mut changed = Vec::new();
    let mut push = |path: &str, change| {
        changed.push(ChangedFile {
            section: new.name.clone(),
            path: path.to_owned(),
            change,
        })
    };
    for file in &new.files {
        let before = old.files.iter().find(|other| other.path == file.path);
        match before {
            _ if has_contents(&old.files, file) => {}
            Some(before) if before.sha256.is_none() || file.sha256.is_none() => {
                push(&file.path, FileChange::Unknown)
            }
            Some(_) => push(&file.path, FileChange::Contents),
            None => push(&file.path, FileChange::Added),
        }
    }
    for file in &old.files {
        let is_there = new.files.iter().any(|other| other.path == file.path);
        if !is_there && !has_contents(&new.files, file) {
            push(&file.path, FileChange::Removed);
        }
    }
    changed
}
