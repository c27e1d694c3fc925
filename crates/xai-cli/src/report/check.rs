//! `xai report check`: whether a study can be computed, without computing it or asking a model.

use std::path::{Path, PathBuf};

use serde::Serialize;
use xai_files::Failure;
use xai_files::content::Content;
use xai_report::{Family, Report};

use crate::output::{stderr, text};
use crate::report::make::{Opened, evaluate_one, origin};
use crate::report::study::arguments::NamedFile;
use crate::report::study::document::{Document, Section, Value};
use crate::report::study::keys::canonical;
use crate::report::study::request::{in_study, prepare};
use crate::usage::nearest;
use crate::{Context, examples};

/// `xai report check`
#[derive(Debug, clap::Args)]
#[command(after_help = examples::of(&["xai report check study.toml"]))]
pub(crate) struct Check {
    /// The study. Without it, the built-in sample study.
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
    /// What is in it; `None` where that cannot be told.
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

/// Checks one section: its keys, its files, and all that can be done with them before something is computed.
fn check(opened: &Opened, section: &Section, context: &Context) -> (CheckedSection, Vec<Failure>) {
    let mut checked = CheckedSection {
        family: section.family.key(),
        name: section.name.clone(),
        commands: Vec::new(),
        files: Vec::new(),
        errors: Vec::new(),
    };
    let prepared = match prepare(
        &opened.document,
        section,
        &opened.folder,
        context.given_seed(),
    ) {
        Ok(prepared) => prepared,
        Err(failure) => {
            checked.errors.push(failure.what());
            return (checked, vec![failure]);
        }
    };
    checked.commands = prepared.commands;
    let mut failures = Vec::new();
    let mut contents: Vec<(NamedFile, Content)> = Vec::new();
    for file in prepared.files {
        let content = Content::of(&opened.folder.join(&file.path));
        checked.files.push(CheckedFile {
            key: file.key.clone(),
            path: file.path.clone(),
            holds: content.as_ref().ok().map(ToString::to_string),
        });
        match content {
            Ok(content) => contents.push((file, content)),
            Err(failure) => failures.push(in_study(failure, &opened.document, section)),
        }
    }
    failures.extend(missing_columns(&opened.document, section, &contents));
    // A pipe is read once, by the report.
    let is_pipe = |file: &CheckedFile| {
        let found = std::fs::metadata(opened.folder.join(&file.path));
        found.is_ok_and(|found| !found.is_file())
    };
    if failures.is_empty() && !checked.files.iter().any(is_pipe) {
        for part in prepared.request.parts() {
            let outcome = context.with_seed(prepared.seed).check(|context| {
                let origin = origin(section, context.seed());
                evaluate_one(&part, origin, context, &mut Report::new(""))
            });
            let failure = outcome.err();
            failures.extend(failure.map(|it| in_study(it, &opened.document, section)));
        }
    }
    checked.errors.extend(failures.iter().map(Failure::what));
    (checked, failures)
}

/// Columns that a case-based section names and its tables do not have.
///
/// Which columns are features follows from what is left out on the way; that all features of the
/// training table are in the test table is for the command to say.
fn missing_columns(
    document: &Document,
    section: &Section,
    contents: &[(NamedFile, Content)],
) -> Vec<Failure> {
    if section.family != Family::Casebased {
        return Vec::new();
    }
    let table = |key: &str| {
        contents.iter().find_map(|(file, content)| match content {
            Content::Table(columns) if file.key == key => Some((file, columns)),
            _ => None,
        })
    };
    let column_of = |name: &str, file: &str| {
        let key = section
            .keys
            .iter()
            .find(|key| canonical(&key.name) == name)?;
        let Value::Word(column) = &key.value else {
            return None;
        };
        // With an extension it is a file.
        let is_column = Path::new(column).extension().is_none();
        let (file, columns) = table(file).filter(|_| is_column)?;
        if columns.contains(column) {
            return None;
        }
        let failure = document.text.failure(
            key.value_at.clone(),
            format!("{} has no column `{column}`", file.path),
        );
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        Some(failure.help(nearest(column, &columns)))
    };
    let label = column_of("label", "train");
    label
        .into_iter()
        .chain(column_of("predicted", "test"))
        .collect()
}

fn table(result: &CheckResult) -> String {
    let mut parts = Vec::new();
    for section in &result.sections {
        let verdict = match section.errors.len() {
            0 => "can be computed".to_owned(),
            n => format!("{n} wrong"),
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
            parts.push(text::table(&["key", "file", "holds"], rows));
        }
    }
    parts.join("\n\n")
}
