//! `xai report diff`: compares two reports and tells changes from chance.

use std::path::{Path, PathBuf};

use xai_files::{Failure, InFile};
use xai_metrics::common::error::with_sources;
use xai_report::{Change, Error, Estimate, Outcome, Report, diff};

use crate::output::text;
use crate::{Context, examples};

/// `xai report diff`
#[derive(Debug, clap::Args)]
#[command(after_help = examples::section(&["xai report diff last-week xai-report"]))]
pub(crate) struct Diff {
    /// The old report: its `report.json`, or its folder.
    old: PathBuf,
    /// The new report: its `report.json`, or its folder.
    new: PathBuf,
    /// Also list the figures that did not change beyond their intervals.
    #[arg(long)]
    all: bool,
}

impl Diff {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let (old, new) = (read(&self.old)?, read(&self.new)?);
        let result = diff(&old, &new);
        context.present(&result, || self.table(&result))?;
        match result.n_worse {
            0 => Ok(()),
            1 => Err(Failure::got_worse("1 figure got worse beyond its interval")),
            n => Err(Failure::got_worse(format_args!(
                "{n} figures got worse beyond their intervals"
            ))),
        }
    }

    fn table(&self, result: &xai_report::Diff) -> String {
        let is_listed = |change: &&Change| {
            self.all || !matches!(change.outcome, Outcome::Same | Outcome::Within)
        };
        let listed: Vec<&Change> = result.figures.iter().filter(is_listed).collect();
        let mut parts = Vec::new();
        let [old, new] = &result.xai_versions;
        if old != new {
            parts.push(format!(
                "The reports were made by different versions: xai {old} and {new}."
            ));
        }
        if result.seeds[0] != result.seeds[1] {
            parts.push(format!(
                "The reports have different seeds: {} and {}.",
                result.seeds[0], result.seeds[1]
            ));
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
                "The input files differ.\n\n{}",
                text::table(&["section", "file", "change"], rows)
            ));
        }
        if !listed.is_empty() {
            let rows = listed.iter().map(|change| row(change));
            let header = [
                "section", "figure", "old", "interval", "new", "interval", "change", "outcome",
            ];
            parts.push(text::table(&header, rows));
        }
        if result.n_other_settings > 0 {
            let settings = text::table(&["metric", "setting", "old", "new"], settings(result));
            parts.push(format!(
                "Figures with different settings are not compared.\n\n{settings}"
            ));
        }
        let n_same = result.figures.len() - listed.len();
        let other = match result.n_other_settings {
            0 => String::new(),
            n => format!(", {n} not compared because their settings differ"),
        };
        parts.push(format!(
            "{} figures better and {} worse beyond their intervals{other}; {n_same} of {} the same or within their intervals",
            result.n_better, result.n_worse, result.figures.len()
        ));
        parts.join("\n\n")
    }
}

/// Returns a row for every setting that differs, once per metric.
fn settings(result: &xai_report::Diff) -> Vec<[String; 4]> {
    let mut rows: Vec<[String; 4]> = Vec::new();
    for change in &result.figures {
        for setting in &change.settings {
            let metric = change.figure.split(" / ").next().unwrap_or_default();
            let row = [
                format!("{}: {metric}", change.section),
                setting.name.clone(),
                text::or_dash(setting.old.clone()),
                text::or_dash(setting.new.clone()),
            ];
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    rows
}

/// Returns the cells of a change in the table.
fn row(change: &Change) -> [String; 8] {
    let value = |estimate: Option<Estimate>| text::decimals(estimate.and_then(|it| it.value));
    let ends = |estimate: Option<Estimate>| text::interval(estimate.and_then(|it| it.interval));
    [
        change.section.clone(),
        text::with_arrow(&change.figure, change.better),
        value(change.old),
        ends(change.old),
        value(change.new),
        ends(change.new),
        text::or_dash(change.change.map(|change| format!("{change:+.4}"))),
        change.outcome.to_string(),
    ]
}

/// Reads a `report.json` from its path, or from its folder.
fn read(path: &Path) -> Result<Report, Failure> {
    let file = if path.is_dir() {
        path.join("report.json")
    } else {
        path.to_owned()
    };
    let bytes = std::fs::read(&file)
        .map_err(Failure::cannot_be_opened)
        .in_file(&file)?;
    let text = xai_files::json::text(&bytes).in_file(&file)?;
    Report::from_json(text.as_bytes()).map_err(|error| {
        let failure = Failure::new(with_sources(&error)).in_file(&file);
        match error {
            Error::SchemaVersion(_) => {
                failure.help("make the report again with this version of xai")
            }
            Error::NoSchemaVersion => {
                failure.help("choose the report.json that `xai report` wrote")
            }
            _ => failure,
        }
    })
}
