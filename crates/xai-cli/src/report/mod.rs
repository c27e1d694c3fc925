//! `xai report`: every family on one study, as a page and as JSON.

mod attribution;
mod casebased;
mod chart;
mod graph;
mod page;
mod results;
mod simulation;
mod study;

use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output;
use results::Report;
use study::{Repro, Source};

/// `xai report [STUDY.toml] [--out xai-report]`
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
    if study.casebased.is_none()
        && study.attribution.is_none()
        && study.graph.is_none()
        && study.repro.is_none()
        && study.simulation.is_none()
    {
        let file = arguments
            .study
            .as_deref()
            .unwrap_or(Path::new("study.toml"));
        return Err(Failure::new("nothing to report: the study has no section")
            .help("add [casebased], [attribution], [graph], [repro] or [simulation]")
            .in_file(&file.display().to_string()));
    }
    let report = Report {
        title: study.title,
        casebased: study
            .casebased
            .map(|section| casebased::evaluate(&section, &source))
            .transpose()?,
        attribution: study
            .attribution
            .map(|section| attribution::evaluate(&section, &source, context))
            .transpose()?
            .flatten(),
        graph: study
            .graph
            .map(|section| graph::evaluate(&section, &source))
            .transpose()?,
        repro: study
            .repro
            .map(|section| repro(&section, &source))
            .transpose()?,
        simulation: study
            .simulation
            .map(|section| simulation::evaluate(&section, &source))
            .transpose()?,
    };
    write(&report, &arguments.out)?;
    let page = arguments.out.join("index.html");
    context.present(&report, || {
        format!(
            "{}\n\nThe report is in {}",
            page::digest(&report),
            page.display()
        )
    })
}

fn repro(section: &Repro, source: &Source) -> Result<crate::repro::PairwiseResult, Failure> {
    let predictions = source.array(&section.predictions)?.into_labels()?;
    let labels = source.array(&section.labels)?.into_labels()?;
    crate::repro::pairwise(predictions.view(), labels.view()).in_file(&section.predictions)
}

fn write(report: &Report, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("cannot be made: {e}")))
        .in_file(&folder.display().to_string())?;
    let html = page::render(report)?;
    let json = serde_json::to_string_pretty(report).map_err(Failure::new)?;
    output::write_whole(&folder.join("report.json"), |file| writeln!(file, "{json}"))?;
    output::write_whole(&folder.join("index.html"), |file| {
        file.write_all(html.as_bytes())
    })
}
