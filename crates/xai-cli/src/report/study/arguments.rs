//! Conversion of the keys of a section to a command line.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches};
use xai_metrics::common::describe::Setting;

use crate::report::study::document::{Key, Table, Value};
use crate::report::study::keys::{
    KeyInfo, KeyOption, KeyRole, KeyValue, SectionCommand, canonical,
};
use crate::report::study::shell;
use crate::usage::allow_negative_numbers;

/// A command line made of keys.
#[derive(Debug, Clone)]
pub(crate) struct CommandLine {
    command: SectionCommand,
    /// The words of the command as typed in the folder of the study, without `xai`.
    shown: Vec<String>,
    /// The options for `clap`, each with its value in one word. Paths of files are relative to the working directory.
    resolved: Vec<OsString>,
    /// The files that it reads.
    pub(crate) files: Vec<NamedFile>,
    /// Each option without dashes, and the position of its key in the study.
    pub(crate) positions: Vec<(String, Range<usize>)>,
}

/// A file of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedFile {
    /// The key whose value it is.
    pub(crate) key: String,
    /// Its path in the study.
    pub(crate) path: String,
}

/// Returns `true` if a value is the name of a file, and not of a column: it has an extension.
pub(crate) fn is_file_name(value: &str) -> bool {
    Path::new(value).extension().is_some()
}

/// A value of the wrong type for an option.
pub(crate) struct WrongValue {
    pub(crate) at: Range<usize>,
    pub(crate) what: String,
}

impl CommandLine {
    /// Creates a command line without options.
    pub(crate) fn new(command: SectionCommand) -> Self {
        Self {
            shown: command.path.iter().map(|&word| word.to_owned()).collect(),
            command,
            resolved: Vec::new(),
            files: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// Adds the options for a key. `command` is the index of this command among those of the section, and `folder` is
    /// the folder of the study.
    pub(crate) fn add(
        &mut self,
        key: &Key,
        keys: &[KeyInfo],
        command: usize,
        folder: &Path,
    ) -> Result<(), WrongValue> {
        let name = canonical(&key.name);
        let info = keys.iter().find(|info| info.key == name);
        let options = info.into_iter().flat_map(|info| &info.options);
        for option in options.filter(|option| option.command == command) {
            let words = words(key, option)?;
            self.positions
                .push((option.name().to_owned(), key.at.clone()));
            for word in words {
                self.push(&name, option, word, folder);
            }
        }
        Ok(())
    }

    /// Adds an option with its value, or a flag if there is no `word`.
    fn push(&mut self, key: &str, option: &KeyOption, word: Option<String>, folder: &Path) {
        let name = format!("--{}", option.name());
        let Some(word) = word else {
            self.shown.push(name.clone());
            self.resolved.push(name.into());
            return;
        };
        let is_file = match option.role() {
            KeyRole::Word => false,
            KeyRole::File => true,
            KeyRole::FileOrColumn => is_file_name(&word),
        };
        let value = if is_file {
            self.files.push(NamedFile {
                key: key.to_owned(),
                path: word.clone(),
            });
            folder.join(&word)
        } else {
            PathBuf::from(&word)
        };
        self.push_named(&name, &word, value.into_os_string());
    }

    /// Adds an option by its name with dashes. `shown` is the value in the printed command, `resolved` that for `clap`.
    pub(crate) fn push_named(&mut self, name: &str, shown: &str, resolved: OsString) {
        // After a space, a value like `-1` could be read as an option.
        if shown.starts_with('-') || shown.is_empty() {
            self.shown.push(format!("{name}={shown}"));
        } else {
            self.shown.extend([name.to_owned(), shown.to_owned()]);
        }
        let mut word = OsString::from(format!("{name}="));
        word.push(resolved);
        self.resolved.push(word);
    }

    /// Adds an option with the value `NAME=FILE`.
    pub(crate) fn push_named_file(&mut self, option: &str, name: &str, file: &str, folder: &Path) {
        self.files.push(NamedFile {
            key: option.trim_start_matches('-').to_owned(),
            path: file.to_owned(),
        });
        let mut resolved = OsString::from(format!("{name}="));
        resolved.push(folder.join(file));
        self.push_named(option, &format!("{name}={file}"), resolved);
    }

    /// Returns the command as a line for a shell; `None` for keys that only studies have.
    pub(crate) fn shown(&self, seed: Option<u64>) -> Option<String> {
        if self.command.path.is_empty() {
            return None;
        }
        let seed_option = seed.map(|seed| ["--seed".to_owned(), seed.to_string()]);
        let words = std::iter::once("xai".to_owned())
            .chain(self.shown.iter().cloned())
            .chain(seed_option.into_iter().flatten());
        Some(shell::line(words))
    }

    /// Parses the arguments of the command.
    pub(crate) fn parse<A: Args + FromArgMatches>(&self) -> Result<A, clap::Error> {
        let command = allow_negative_numbers((self.command.command)());
        A::from_arg_matches(&command.try_get_matches_from(&self.resolved)?)
    }
}

/// Converts the value of a key to the values of an option: one for each time that the option is repeated, `None` for a
/// flag.
fn words(key: &Key, option: &KeyOption) -> Result<Vec<Option<String>>, WrongValue> {
    let wrong = |expected: &str| WrongValue {
        at: key.value_at.clone(),
        what: format!("`{}`: expected {expected}", key.name),
    };
    let is_file = option.role() == KeyRole::File;
    match (option.value_kind(), &key.value) {
        (KeyValue::One, Value::Truth(_)) if is_file => Err(wrong("text")),
        (KeyValue::One, Value::Word(word)) if is_file && word.is_empty() => Err(wrong("text")),
        (KeyValue::Nothing, Value::Truth(true)) => Ok(vec![None]),
        (KeyValue::Nothing, Value::Truth(false)) => Ok(Vec::new()),
        (KeyValue::Nothing, _) => Err(wrong("true or false")),
        (KeyValue::One | KeyValue::Many, Value::Word(word)) => Ok(vec![Some(word.clone())]),
        (KeyValue::One, Value::Truth(truth)) => Ok(vec![Some(truth.to_string())]),
        (KeyValue::Many, Value::List(values)) => {
            let words = values.iter().map(|value| match value {
                Value::Word(word) => Ok(Some(word.clone())),
                Value::Tables(tables) => match tables.as_slice() {
                    [table] => setting(table).map(Some).ok_or_else(|| wrong(SETTING)),
                    _ => Err(wrong(SETTING)),
                },
                _ => Err(wrong("a list of texts, numbers or tables")),
            });
            words.collect()
        }
        (KeyValue::Many, Value::Tables(tables)) => {
            let words = tables.iter().map(|table| setting(table).map(Some));
            words.collect::<Option<_>>().ok_or_else(|| wrong(SETTING))
        }
        // Options that take a list as one word: "0.1,0.2".
        (KeyValue::One, Value::List(values)) => {
            let word = joined(values).ok_or_else(|| wrong("text or a number"));
            word.map(|word| vec![Some(word)])
        }
        (KeyValue::Many, _) => Err(wrong("text, a number, or a list of them")),
        (KeyValue::One, _) => Err(wrong("text or a number")),
    }
}

/// Joins words with commas; `None` if there are other values.
fn joined(values: &[Value]) -> Option<String> {
    let words = values.iter().map(|value| match value {
        Value::Word(word) => Some(word.as_str()),
        _ => None,
    });
    Some(words.collect::<Option<Vec<_>>>()?.join(","))
}

const SETTING: &str = "a table with `name` and parameters, { name = \"deletion\", steps = 20 }";

/// Converts a metric with settings, `{ name = "deletion", steps = 20 }`, to the form of the command line,
/// `deletion(steps=20)`.
fn setting(table: &Table) -> Option<String> {
    let text = |value: &Value| match value {
        Value::Word(word) => Some(word.clone()),
        Value::Truth(truth) => Some(truth.to_string()),
        Value::List(values) => joined(values),
        Value::Tables(_) | Value::Other(_) => None,
    };
    let mut name = None;
    let mut params = Vec::new();
    for key in &table.keys {
        match (key.name.as_str(), text(&key.value)?) {
            ("name", word) => name = Some(word),
            (param, word) => params.push((param.to_owned(), word.as_str().into())),
        }
    }
    Some(
        Setting {
            name: name?,
            params,
        }
        .to_string(),
    )
}
