//! `xai report`: every family on one study, as a page and as JSON.

mod chart;
mod digest;
mod page;
mod results;
mod sections;
mod source;
mod study_file;

use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output::visible::visible_json;
use crate::output::whole_file;
use results::Report;
use source::Source;
use study_file::StudyFile;

/// `xai report [STUDY.toml] [--out xai-report]`
///
/// `--seed` decides over the seed in the study file.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The study: a TOML file that names the arrays and tables of each family. Without it, the
    /// built-in sample study.
    study: Option<PathBuf>,
    /// The folder for `index.html` and `report.json`.
    #[arg(long, value_name = "FOLDER", default_value = "xai-report")]
    out: PathBuf,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            study: None,
            out: PathBuf::from("xai-report"),
        }
    }
}

/// Evaluates the study and writes the page and the JSON.
pub(crate) fn run(arguments: &Arguments, context: &Context) -> Result<(), Failure> {
    let (source, study) = Source::open(arguments.study.as_deref())?;
    if study.is_empty() {
        return Err(Failure::new("nothing to report: the study has no section")
            .help("add [casebased], [attribution], [graph], [repro] or [simulation]")
            .in_file(source.study()));
    }
    let report = evaluate(study, &source, context)?;
    write(&report, &arguments.out)?;
    let page = arguments.out.join("index.html");
    context.present(&report, || {
        let digest = digest::digest(&report);
        format!("{digest}\n\nThe report is in {}", page.display())
    })
}

fn evaluate(study: StudyFile, source: &Source, context: &Context) -> Result<Report, Failure> {
    Ok(Report {
        title: study.title,
        casebased: study
            .casebased
            .map(|section| sections::casebased::evaluate(&section, source))
            .transpose()?,
        attribution: study
            .attribution
            .map(|section| sections::attribution::evaluate(&section, source, context))
            .transpose()?
            .flatten(),
        graph: study
            .graph
            .map(|section| sections::graph::evaluate(&section, source))
            .transpose()?,
        repro: study
            .repro
            .map(|section| sections::repro::evaluate(&section, source, context))
            .transpose()?,
        simulation: study
            .simulation
            .map(|section| sections::simulation::evaluate(&section, source, context))
            .transpose()?,
    })
}

fn write(report: &Report, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("cannot be made: {e}")))
        .in_file(folder)?;
    let html = page::render(report)?;
    let json = serde_json::to_string_pretty(report).map_err(Failure::new)?;
    write_both(folder, &html, &visible_json(json + "\n"))
}

/// Writes the page and the JSON, both or neither: the JSON is on the disk under a temporary name before
/// the page gets its own.
fn write_both(folder: &Path, html: &str, json: &str) -> Result<(), Failure> {
    let (page, numbers) = (folder.join("index.html"), folder.join("report.json"));
    // The one reason that is known why the second of two names could not be given.
    if numbers.is_dir() {
        let failure = Failure::cannot_be_written("it is a folder");
        return Err(failure.in_file(&numbers));
    }
    whole_file::write(&numbers, |file| {
        file.write_all(json.as_bytes())
            .and_then(|()| file.flush())
            .map_err(Failure::cannot_be_written)
            .in_file(&numbers)?;
        whole_file::write_text(&page, html)
    })
}
