//! What changed between two reports, and whether by more than chance.

mod changes;
pub(crate) mod figure;

use std::fmt;

use serde::Serialize;

use crate::origin::{InputFile, Origin};
use crate::report::Report;

pub use changes::{Change, ChangedSetting, Outcome};

/// What changed between two reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// How many figures got worse beyond their intervals.
    pub n_worse: usize,
    /// How many got better beyond them.
    pub n_better: usize,
    /// How many were computed with other settings.
    pub n_other_settings: usize,
    /// Every figure of either report.
    pub figures: Vec<Change>,
    /// Input files whose contents are not the same, or that only one report has.
    pub files: Vec<ChangedFile>,
    /// The versions of `xai` that made the reports, old and new.
    pub xai_versions: [String; 2],
    /// The seeds of the reports, old and new.
    pub seeds: [u64; 2],
}

/// Compares two reports. A figure is identified by its family, the name of its section, its own name and its settings: figures
/// with different settings (3 and 60 steps, with and without softmax) are reported as [`Outcome::OtherSettings`], not judged.
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
        let of_outcome = figures.iter().filter(|change| change.outcome == outcome);
        of_outcome.count()
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

/// A file of one report that the other does not have as it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedFile {
    /// The name of the section that reads it.
    pub section: String,
    /// Its path, as the study has it.
    pub path: String,
    /// What kind of change it is.
    pub change: FileChange,
}

/// Kinds of changes of an input file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// Its contents are others.
    Contents,
    /// It was no regular file, so that nobody knows.
    Unknown,
    /// Only the new report read it.
    Added,
    /// Only the old report read it.
    Removed,
}

impl fmt::Display for FileChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Contents => "other contents",
            Self::Unknown => "no regular file: unknown",
            Self::Added => "only in the new report",
            Self::Removed => "only in the old report",
        })
    }
}

/// The files of sections that both reports have. A file of the same contents under another name is the same.
pub(super) fn changed_files(old: &Report, new: &Report) -> Vec<ChangedFile> {
    let mut changed = Vec::new();
    for section in new.origins() {
        let is_same =
            |other: &&Origin| (&other.family, &other.name) == (&section.family, &section.name);
        if let Some(before) = old.origins().find(is_same) {
            changed.extend(of_section(before, section));
        }
    }
    changed
}

fn of_section(old: &Origin, new: &Origin) -> Vec<ChangedFile> {
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
