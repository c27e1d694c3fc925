//! `xai report diff`: what changed between two reports, and whether by more than chance.

mod changes;
mod figures;
mod files;

use std::path::{Path, PathBuf};

use serde::Serialize;

use self::changes::{Change, Outcome, changes};
use self::files::{ChangedFile, changed_files};
use super::model::{Report, SCHEMA_VERSION};
use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output::text;
use crate::usage::examples;

/// `xai report diff`
#[derive(Debug, clap::Args)]
#[command(after_help = examples::of(&["xai report diff last-week xai-report"]))]
pub(crate) struct Diff {
    /// The report that stands: its `report.json`, or its folder.
    old: PathBuf,
    /// The report that is held against it.
    new: PathBuf,
    /// Also list the figures that did not change beyond their intervals.
    #[arg(long)]
    all: bool,
}

/// The JSON of `xai report diff`.
#[derive(Debug, Serialize)]
struct DiffResult {
    /// How many figures got worse beyond their intervals.
    n_worse: usize,
    /// How many got better beyond them.
    n_better: usize,
    /// Every figure of either report.
    figures: Vec<Change>,
    /// Input files whose contents are not the same, or that only one report has.
    files: Vec<ChangedFile>,
    /// The versions of `xai` that made the reports, old and new.
    xai_versions: [String; 2],
    /// The seeds of the reports, old and new.
    seeds: [u64; 2],
}

impl Diff {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let (old, new) = (read(&self.old)?, read(&self.new)?);
        let figures = changes(&old, &new);
        let count = |outcome| {
            figures
                .iter()
                .filter(|change| change.outcome == outcome)
                .count()
        };
        let result = DiffResult {
            n_worse: count(Outcome::Worse),
            n_better: count(Outcome::Better),
            files: changed_files(&old, &new),
            xai_versions: [old.xai_version, new.xai_version],
            seeds: [old.seed, new.seed],
            figures,
        };
        context.present(&result, || self.table(&result))?;
        match result.n_worse {
            0 => Ok(()),
            1 => Err(Failure::got_worse("1 figure got worse beyond its interval")),
            n => Err(Failure::got_worse(format_args!(
                "{n} figures got worse beyond their intervals"
            ))),
        }
    }

    fn table(&self, result: &DiffResult) -> String {
        let is_listed = |change: &&Change| {
            self.all || !matches!(change.outcome, Outcome::Same | Outcome::Within)
        };
        let listed: Vec<&Change> = result.figures.iter().filter(is_listed).collect();
        let mut parts = Vec::new();
        let [old, new] = &result.xai_versions;
        if old != new {
            parts.push(format!("made by xai {old} and {new}"));
        }
        if result.seeds[0] != result.seeds[1] {
            parts.push(format!("seeds {} and {}", result.seeds[0], result.seeds[1]));
        }
        if !result.files.is_empty() {
            let rows = result.files.iter().map(|file| {
                [
                    file.section.clone(),
                    file.path.clone(),
                    file.change.to_string(),
                ]
            });
            parts.push(format!(
                "The data are not the same.\n\n{}",
                text::table(&["section", "file", "change"], rows)
            ));
        }
        if !listed.is_empty() {
            let rows = listed.iter().map(|change| change.row());
            let header = [
                "section", "figure", "old", "interval", "new", "interval", "change", "outcome",
            ];
            parts.push(text::table(&header, rows));
        }
        let n_same = result.figures.len() - listed.len();
        parts.push(format!(
            "{} better and {} worse beyond their intervals; {n_same} of {} figures the same or within them",
            result.n_better, result.n_worse, result.figures.len()
        ));
        parts.join("\n\n")
    }
}

/// Reads the `report.json` at a path, or in a folder.
fn read(path: &Path) -> Result<Report, Failure> {
    let file = match path.is_dir() {
        true => path.join("report.json"),
        false => path.to_owned(),
    };
    let bytes = std::fs::read(&file)
        .map_err(Failure::cannot_be_opened)
        .in_file(&file)?;
    let value: serde_json::Value = serde_json::from_slice(&bytes)
        .map_err(|error| Failure::new(format!("no JSON: {error}")))
        .in_file(&file)?;
    match value
        .get("schema_version")
        .and_then(serde_json::Value::as_u64)
    {
        Some(version) if version == u64::from(SCHEMA_VERSION) => {}
        Some(version) => {
            let failure = Failure::new(format!(
                "schema version {version}: expected {SCHEMA_VERSION}"
            ));
            return Err(failure
                .help("make the report again with this version of xai")
                .in_file(&file));
        }
        None => {
            let failure = Failure::new(
                "no report: expected the report.json that `xai report` wrote, with its schema_version",
            );
            return Err(failure.in_file(&file));
        }
    }
    serde_json::from_value(value)
        .map_err(|error| Failure::new(format!("no report: {error}")))
        .in_file(&file)
}
