//! What changed between two reports, and whether by more than chance.

mod changes;
mod figures;
mod files;

use serde::Serialize;

pub use changes::{Change, Outcome};
pub use files::{ChangedFile, FileChange};

use crate::report::Report;

/// What changed between two reports.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// How many figures got worse beyond their intervals.
    pub n_worse: usize,
    /// How many got better beyond them.
    pub n_better: usize,
    /// Every figure of either report.
    pub figures: Vec<Change>,
    /// Input files whose contents are not the same, or that only one report has.
    pub files: Vec<ChangedFile>,
    /// The versions of `xai` that made the reports, old and new.
    pub xai_versions: [String; 2],
    /// The seeds of the reports, old and new.
    pub seeds: [u64; 2],
}

/// Compares two reports. A figure is found again by its family, the name of its section and its own name.
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
        files: files::changed_files(old, new),
        xai_versions: [old.xai_version.clone(), new.xai_version.clone()],
        seeds: [old.seed, new.seed],
        figures,
    }
}
