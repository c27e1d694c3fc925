//! Reports on the quality of explanations: results of metrics as `report.json` and as a single HTML page.
//!
//! The page shows the findings, which are sentences that follow from the numbers by fixed rules, and then each section
//! with pictures, tables, confidence intervals, and the commands and files to reproduce it. It loads nothing from
//! elsewhere. [`diff()`] compares two reports and finds figures that got worse by more than their intervals.
//!
//! ```
//! use ndarray::array;
//! use xai_repro::{PackedRuns, Pairwise, RunInterval, metrics::PAIR_METRICS};
//! use xai_report::sections::repro::Repro;
//! use xai_report::{Origin, Report, findings, page};
//!
//! let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]]; // three runs
//! let runs = PackedRuns::new(PAIR_METRICS, predictions.view(), &[0, 1, 1, 0])?;
//! let result = Pairwise::new().report(&runs, RunInterval::jackknife())?;
//!
//! let mut report = Report::new("Three runs");
//! let origin = Origin::new(&Repro::KIND, 1, "small networks");
//! report.repro.push(Repro::new(origin, PAIR_METRICS, &result, &[]));
//! report.findings = findings(&report);
//!
//! let (html, json) = (page(&report), report.to_json()?);
//! assert!(html.starts_with("<!doctype html>") && json.contains("\"n_runs\": 3"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate computes no metrics and opens no files. Names may come from untrusted files: markup and control characters
//! in them are escaped.
//!
//! Use it in programs that already have results of the metric crates. To create reports from files and a study, use
//! `xai report` of [`xai-cli`](https://docs.rs/xai-cli). This crate has no features.
//!
//! # Contents
//!
//! - [`Report`], [`findings()`] and [`page()`]: the report, its findings and its page.
//! - [`sections`]: the sections of a report, one module per kind. Each is created from results of a family.
//! - [`diff()`]: the function that tells what changed between two reports; its result is a [`Diff`].
//! - [`text`]: numbers and names as the page shows them.
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![warn(missing_docs)]

mod diff;
mod estimate;
mod findings;
mod markup;
mod origin;
mod page;
mod picture;
mod report;
mod section;
pub mod sections;
pub mod text;

pub use diff::{Change, ChangedFile, ChangedSetting, Diff, Outcome, diff};
pub use estimate::{Estimate, Histogram};
pub use findings::{Finding, Verdict};
pub use origin::{InputFile, Origin, SectionKind};
pub use page::{GENERATOR, page};
pub use report::{Error, JsonError, KINDS, MissingSection, Report, SCHEMA_VERSION, findings};

// Fails to compile if one of these types can no longer be sent to and shared with other threads.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Diff>();
    crosses_threads::<Error>();
    crosses_threads::<Report>();
};
