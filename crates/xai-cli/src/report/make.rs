//! From a study to its report.

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

/// Where the report goes unless somebody says where.
pub(super) const DEFAULT_FOLDER: &str = "xai-report";

/// The page in the folder.
const PAGE: &str = "index.html";
/// The numbers in the folder.
const NUMBERS: &str = "report.json";

/// A study that was read, and the folder that its paths begin in.
pub(super) struct Opened {
    pub(super) document: Document,
    pub(super) folder: PathBuf,
    bytes: Vec<u8>,
    /// The files of the built-in study, as long as this value is there.
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

    /// Refuses a study without sections.
    pub(super) fn check_sections(&self) -> Result<(), Failure> {
        if !self.document.sections.is_empty() {
            return Ok(());
        }
        let kinds = SECTIONS.iter().map(|section| section.kind().key);
        let mut kinds: Vec<String> = kinds.map(|key| format!("[[{key}]]")).collect();
        let last = kinds.pop().unwrap_or_default();
        let help = format!(
            "add {} or {last}; `xai report init` writes a study of the files of a folder",
            kinds.join(", ")
        );
        let failure = Failure::new("nothing to report: the study has no section");
        Err(failure.help(help).in_file(&self.document.text.file))
    }
}

/// `xai report [STUDY.toml] [--out FOLDER]`
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
        keep_foreign(out)?;
    }
    let (report, failures) = evaluate_all(&opened, study, context);
    // Nothing was computed: what was there before stays.
    if report.missing.len() == opened.document.sections.len() {
        return Err(all(failures));
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
    Err(all(failures))
}

/// The report in a few lines, for the terminal: the findings, and the figures of every section.
fn digest(report: &Report) -> String {
    let findings = report.findings.iter();
    let findings: Vec<String> = findings
        .map(|finding| format!("- {}", visible(&finding.text)))
        .collect();
    let mut parts = vec![visible(&report.title).into_owned(), findings.join("\n")];
    parts.extend(SECTIONS.iter().flat_map(|section| section.digest(report)));
    parts.join("\n\n")
}

/// Refuses to replace files of the report's names that no report wrote.
fn keep_foreign(folder: &Path) -> Result<(), Failure> {
    for (name, mark) in [(PAGE, GENERATOR), (NUMBERS, "\"schema_version\"")] {
        let file = folder.join(name);
        // What is no file cannot be replaced, which the writing says.
        if !file.is_file() {
            continue;
        }
        let mut head = Vec::new();
        let read =
            std::fs::File::open(&file).and_then(|open| open.take(4096).read_to_end(&mut head));
        if read.is_ok() && !String::from_utf8_lossy(&head).contains(mark) {
            let failure = Failure::new("it is there already, and no report wrote it");
            let help = "name another folder with --out, or replace it with --force";
            return Err(failure.help(help).in_file(&file));
        }
    }
    Ok(())
}

/// Writes the page and the JSON, both or neither.
///
/// # Errors
/// A folder that cannot be made, a file that cannot be written.
fn write(report: &Report, html: &str, folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("cannot be made: {e}")))
        .in_file(folder)?;
    let json = report.to_json().map_err(Failure::new)?;
    let (page, numbers) = (folder.join(PAGE), folder.join(NUMBERS));
    // The one reason that is known why the second of two names could not be given.
    if numbers.is_dir() {
        let failure = Failure::cannot_be_written("it is a folder");
        return Err(failure.in_file(&numbers));
    }
    whole_file::write_together(&[(&page, html), (&numbers, &json)])
}

/// Says all failures but the last, which the caller says.
pub(super) fn all(mut failures: Vec<Failure>) -> Failure {
    let last = failures
        .pop()
        .unwrap_or_else(|| Failure::new("nothing to report"));
    for failure in failures {
        stderr::print_line(failure);
    }
    last
}

/// Computes every section; those that cannot be are missing.
pub(super) fn evaluate_all(
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

/// Computes a section into a report; what it is made from becomes known on the way.
fn evaluate(
    opened: &Opened,
    section: &Section,
    origin: &mut Origin,
    context: &Context,
    report: &mut Report,
) -> Result<(), Failure> {
    let study = (&opened.document, section);
    let (kind, keys) = sections::open(study, &opened.folder, context.given_seed())?;
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

/// The command that makes the report.
fn command(study: Option<&Path>, context: &Context) -> String {
    let mut words = vec!["xai".to_owned(), "report".to_owned()];
    words.extend(
        study
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy().into_owned()),
    );
    if let Some(seed) = context.given_seed() {
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
