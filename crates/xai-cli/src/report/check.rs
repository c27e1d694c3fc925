//! `xai report check`: checks whether a study can be computed, without computing it or running a model.

use std::path::PathBuf;

use serde::Serialize;
use xai_files::Failure;
use xai_files::content::Content;
use xai_report::Report;

use crate::output::{stderr, text};
use crate::report::make::{Opened, origin};
use crate::report::sections;
use crate::report::study::arguments::NamedFile;
use crate::report::study::document::Section;
use crate::{Context, examples};

/// `xai report check`
#[derive(Debug, clap::Args)]
#[command(after_help = examples::section(&["xai report check study.toml"]))]
pub(crate) struct Check {
    /// The study to check. Default: the built-in sample study.
    study: Option<PathBuf>,
}

/// The JSON of `xai report check`.
#[derive(Debug, Serialize)]
struct CheckResult {
    n_wrong: usize,
    sections: Vec<CheckedSection>,
}

#[derive(Debug, Serialize)]
struct CheckedSection {
    family: &'static str,
    name: String,
    commands: Vec<String>,
    files: Vec<CheckedFile>,
    errors: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CheckedFile {
    key: String,
    path: String,
    /// Description of the contents; `None` if the file cannot be read.
    holds: Option<String>,
}

impl Check {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let opened = Opened::read(self.study.as_deref())?;
        opened.check_sections()?;
        let (mut sections, mut failures) = (Vec::new(), Vec::new());
        for section in &opened.document.sections {
            let (checked, wrong) = check(&opened, section, context);
            sections.push(checked);
            failures.extend(wrong);
        }
        let result = CheckResult {
            n_wrong: failures.len(),
            sections,
        };
        context.present(&result, || table(&result))?;
        let Some(last) = failures.pop() else {
            return Ok(());
        };
        for failure in failures {
            stderr::print_line(failure);
        }
        Err(last)
    }
}

/// Checks the keys and files of a section, and everything else that can be checked before something is computed.
fn check(opened: &Opened, section: &Section, context: &Context) -> (CheckedSection, Vec<Failure>) {
    let mut checked = CheckedSection {
        family: section.kind.key,
        name: section.name.clone(),
        commands: Vec::new(),
        files: Vec::new(),
        errors: Vec::new(),
    };
    let outcome = check_files(opened, section, context, &mut checked);
    let failures = outcome.unwrap_or_else(|failure| vec![failure]);
    checked.errors.extend(failures.iter().map(Failure::what));
    (checked, failures)
}

/// Returns everything that is wrong with the files of a section.
///
/// # Errors
/// Wrong keys: without valid keys the files are not known.
fn check_files(
    opened: &Opened,
    section: &Section,
    context: &Context,
    checked: &mut CheckedSection,
) -> Result<Vec<Failure>, Failure> {
    let study = (&opened.document, section);
    let (kind, keys) = sections::open(study, &opened.folder, context.seed_option())?;
    let mut prepared = kind.prepare(&keys)?;
    checked.commands = prepared.commands;
    let mut failures = Vec::new();
    let mut contents: Vec<(NamedFile, Content)> = Vec::new();
    for file in prepared.files {
        let content = Content::detect(&opened.folder.join(&file.path));
        checked.files.push(CheckedFile {
            key: file.key.clone(),
            path: file.path.clone(),
            holds: content.as_ref().ok().map(ToString::to_string),
        });
        match content {
            Ok(content) => contents.push((file, content)),
            Err(failure) => failures.push(keys.in_study(failure)),
        }
    }
    failures.extend(kind.check(study, &contents));
    // A pipe can be read only once, which is left to the report.
    let is_pipe = |file: &CheckedFile| {
        let found = std::fs::metadata(opened.folder.join(&file.path));
        found.is_ok_and(|found| !found.is_file())
    };
    if failures.is_empty() && !checked.files.iter().any(is_pipe) {
        if prepared.parts.is_empty() {
            prepared.parts.push(prepared.evaluate);
        }
        for evaluate in prepared.parts {
            let outcome = context.with_seed(prepared.seed).check(|context| {
                let origin = origin(section, context.seed());
                evaluate(origin, context, &mut Report::new(""))
            });
            failures.extend(outcome.err().map(|failure| keys.in_study(failure)));
        }
    }
    Ok(failures)
}

fn table(result: &CheckResult) -> String {
    let mut parts = Vec::new();
    for section in &result.sections {
        let verdict = match section.errors.len() {
            0 => "can be computed".to_owned(),
            1 => "1 error".to_owned(),
            n => format!("{n} errors"),
        };
        parts.push(format!(
            "[[{}]] {}: {verdict}",
            section.family, section.name
        ));
        if !section.files.is_empty() {
            let rows = section.files.iter().map(|file| {
                [
                    file.key.clone(),
                    file.path.clone(),
                    text::or_dash(file.holds.clone()),
                ]
            });
            parts.push(text::table(&["key", "file", "contents"], rows));
        }
    }
    parts.join("\n\n")
}
