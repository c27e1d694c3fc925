//! Computes the sections of a study and writes the report.

use std::io::Read;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use xai_files::visible::visible;
use xai_files::{Failure, InFile};
use xai_report::{GENERATOR, MissingSection, Origin, Report, findings, page};

use crate::Context;
use crate::output::{stderr, whole_file};
use crate::report::input_files::{input_file, input_of_bytes};
use crate::report::sample;
use crate::report::sections::{self, SECTIONS};
use crate::report::study::document::{Document, Section};
use crate::report::study::shell;

/// Default folder of the report.
pub(super) const DEFAULT_FOLDER: &str = "xai-report";

/// File name of the page.
const PAGE: &str = "index.html";
/// File name of the figures.
const NUMBERS: &str = "report.json";

/// A study, and the folder to which its paths are relative.
pub(super) struct Opened {
    pub(super) document: Document,
    pub(super) folder: PathBuf,
    bytes: Vec<u8>,
    /// Temporary folder of the built-in study, which is removed with this value.
    _unpacked: Option<TempDir>,
}

impl Opened {
    /// Reads a study file, or the built-in study.
    pub(super) fn read(study: Option<&Path>) -> Result<Self, Failure> {
        let (unpacked, file, name) = match study {
            Some(file) => (None, file.to_owned(), file.to_owned()),
            None => {
                let folder = sample::in_temporary_folder()?;
                let file = folder.path().join(sample::STUDY);
                (Some(folder), file, PathBuf::from(sample::STUDY))
            }
        };
        let bytes = std::fs::read(&file)
            .map_err(Failure::cannot_be_opened)
            .in_file(&name)?;
        Ok(Self {
            document: Document::parse(&name, &bytes)?,
            folder: file.parent().unwrap_or(Path::new("")).to_owned(),
            bytes,
            _unpacked: unpacked,
        })
    }

    /// Fails for a study without sections.
    pub(super) fn check_sections(&self) -> Result<(), Failure> {
        if !self.document.sections.is_empty() {
            return Ok(());
        }
        let mut keys: Vec<String> = SECTIONS
            .iter()
            .map(|section| format!("[[{}]]", section.kind().key))
            .collect();
        let last = keys.pop().unwrap_or_default();
        let help = format!(
            "add {} or {last}; `xai report init` writes a study for the files of a folder",
            keys.join(", ")
        );
        let failure = Failure::new("the study has no sections");
        Err(failure.help(help).in_file(&self.document.text.file))
    }
}

/// Runs `xai report [STUDY.toml] [--out FOLDER]`.
pub(super) fn run(
    study: Option<&Path>,
    out: &Path,
    force: bool,
    context: &Context,
) -> Result<(), Failure> {
    let opened = Opened::read(study)?;
    opened.check_sections()?;
    let to_standard_output = out == Path::new("-");
    if !to_standard_output && !force {
        check_overwriting(out)?;
    }
    let (report, failures) = evaluate_sections(&opened, study, context);
    // If no section was computed, an earlier report is kept.
    if report.missing.len() == opened.document.sections.len() {
        return Err(print_all_but_last(failures));
    }
    let html = page(&report);
    if to_standard_output {
        crate::output::stdout::print(|stdout| stdout.write_all(html.as_bytes()))?;
    } else {
        write(&report, &html, out)?;
        context.present(&report, || {
            let (digest, page) = (digest(&report), out.join(PAGE));
            format!("{digest}\n\nThe report is in {}", page.display())
        })?;
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(print_all_but_last(failures))
}

/// Formats the findings and the figures of every section for the terminal.
fn digest(report: &Report) -> String {
    let findings: Vec<String> = report
        .findings
        .iter()
        .map(|finding| format!("- {}", visible(&finding.text)))
        .collect();
    let mut parts = vec![visible(&report.title).into_owned(), findings.join("\n")];
    parts.extend(SECTIONS.iter().flat_map(|section| section.digest(report)));
    parts.join("\n\n")
}

/// Fails if the folder has files with the names of the report's files that `xai report` did not write.
fn check_overwriting(folder: &Path) -> Result<(), Failure> {
    for (name, mark) in [(PAGE, GENERATOR), (NUMBERS, "\"schema_version\"")] {
        let file = folder.join(name);
        // A folder of this name cannot be replaced, which is reported when the report is written.
        if !file.is_file() {
            continue;
        }
        let mut head = Vec::new();
        let read =
            std::fs::File::open(&file).and_then(|open| open.take(4096).read_to_end(&mut head));
        if read.is_ok() && !String::from_utf8_lossy(&head).contains(mark) {
            let failure = Failure::new("this file exists and was not written by `xai report`");
            let help = "name another folder with --out, or overwrite the file with --force";
            return Err(failure.help(help).in_file(&file));
        }
    }
    Ok(())
}

/// Writes the page and the JSON. An error while writing changes neither of them.
///
/// # Errors
/// If the folder cannot be created or a file cannot be written.
fn write(report: &Report, html: &str, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("cannot be created: {e}")))
        .in_file(folder)?;
    let json = report.to_json().map_err(Failure::new)?;
    let (page, numbers) = (folder.join(PAGE), folder.join(NUMBERS));
    // Renaming would fail for the second file after the first has been replaced.
    if numbers.is_dir() {
        let failure = Failure::cannot_be_written("it is a folder");
        return Err(failure.in_file(&numbers));
    }
    whole_file::write_together(&[(&page, html), (&numbers, &json)])
}

/// Prints all failures except the last, which is returned for the caller to print.
pub(super) fn print_all_but_last(mut failures: Vec<Failure>) -> Failure {
    let last = failures
        .pop()
        .unwrap_or_else(|| Failure::new("nothing to report"));
    for failure in failures {
        stderr::print_line(failure);
    }
    last
}

/// Computes every section. Sections that fail are listed in [`Report::missing`].
pub(super) fn evaluate_sections(
    opened: &Opened,
    study: Option<&Path>,
    context: &Context,
) -> (Report, Vec<Failure>) {
    let document = &opened.document;
    let mut report = Report {
        seed: context.seed_or(document.seed.unwrap_or(1)),
        study: input_of_bytes(&document.text.file, &opened.bytes),
        command: command(study, context),
        ..Report::new(&document.title)
    };
    let mut failures = Vec::new();
    for section in &document.sections {
        let mut origin = origin(section, report.seed);
        let outcome = evaluate(opened, section, &mut origin, context, &mut report);
        if let Err(failure) = outcome {
            report.missing.push(MissingSection {
                origin,
                error: failure.what(),
                help: failure.help_text().map(str::to_owned),
            });
            failures.push(failure);
        }
    }
    report.findings = findings(&report);
    (report, failures)
}

/// Computes a section and adds it to the report. Commands, files and settings are added to `origin` as soon as they are
/// known, so that a section that fails lists them too.
fn evaluate(
    opened: &Opened,
    section: &Section,
    origin: &mut Origin,
    context: &Context,
    report: &mut Report,
) -> Result<(), Failure> {
    let study = (&opened.document, section);
    let (kind, keys) = sections::open(study, &opened.folder, context.seed_option())?;
    let prepared = kind.prepare(&keys)?;
    for file in &prepared.files {
        if !origin.files.iter().any(|other| other.path == file.path) {
            origin.files.push(input_file(&opened.folder, &file.path));
        }
    }
    origin.commands = prepared.commands;
    origin.settings = prepared.settings;
    origin.seed = prepared.seed.unwrap_or(origin.seed);
    let context = &context.with_seed(prepared.seed);
    let evaluated = (prepared.evaluate)(origin.clone(), context, report);
    evaluated.map_err(|failure| keys.in_study(failure))
}

/// Returns the command that makes the report.
fn command(study: Option<&Path>, context: &Context) -> String {
    let mut words = vec!["xai".to_owned(), "report".to_owned()];
    words.extend(
        study
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy().into_owned()),
    );
    if let Some(seed) = context.seed_option() {
        words.extend(["--seed".to_owned(), seed.to_string()]);
    }
    words.extend(["--out".to_owned(), DEFAULT_FOLDER.to_owned()]);
    shell::line(words)
}

pub(super) fn origin(section: &Section, seed: u64) -> Origin {
    Origin {
        seed,
        id: section.id.clone(),
        ..Origin::new(section.kind, 1, &section.name)
    }
}
