//! The command line that the keys of a section stand for.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches};
use xai_metrics::core::describe::Setting;

use crate::report::study::document::{Key, Table, Value};
use crate::report::study::keys::{CommandOfSection, Is, KeyInfo, OptionOfKey, Takes, canonical};
use crate::report::study::shell;
use crate::usage::taking_negative_numbers;

/// A command line made of keys.
#[derive(Debug, Clone)]
pub(crate) struct CommandLine {
    command: CommandOfSection,
    /// Its words as a person types them in the folder of the study, without `xai`.
    shown: Vec<String>,
    /// The options that `clap` reads, each with its value in one word; files by their paths from the working directory.
    resolved: Vec<OsString>,
    /// The files that it reads.
    pub(crate) files: Vec<NamedFile>,
    /// The options, without dashes, and where in the study the keys stand that gave them.
    pub(crate) places: Vec<(String, Range<usize>)>,
}

/// A file of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedFile {
    /// The key that names it.
    pub(crate) key: String,
    /// Its path, as the study has it.
    pub(crate) path: String,
}

/// Whether a value names a file and not a column: it has an extension.
pub(crate) fn is_file_name(value: &str) -> bool {
    Path::new(value).extension().is_some()
}

/// A value that an option cannot have.
pub(crate) struct WrongValue {
    pub(crate) at: Range<usize>,
    pub(crate) what: String,
}

impl CommandLine {
    /// A command of a section, without options.
    pub(crate) fn new(command: CommandOfSection) -> Self {
        Self {
            shown: command.path.iter().map(|&word| word.to_owned()).collect(),
            command,
            resolved: Vec::new(),
            files: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Adds the options that a key stands for. `command` is the index of the command among those of the family, `folder`
    /// that of the study.
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
            self.places.push((option.name().to_owned(), key.at.clone()));
            for word in words {
                self.push(&name, option, word, folder);
            }
        }
        Ok(())
    }

    /// Adds one option with its value, or a flag where there is no `word`.
    fn push(&mut self, key: &str, option: &OptionOfKey, word: Option<String>, folder: &Path) {
        let name = format!("--{}", option.name());
        let Some(word) = word else {
            self.shown.push(name.clone());
            self.resolved.push(name.into());
            return;
        };
        let is_file = match option.is() {
            Is::Word => false,
            Is::File => true,
            Is::FileOrColumn => is_file_name(&word),
        };
        let value = match is_file {
            true => {
                self.files.push(NamedFile {
                    key: key.to_owned(),
                    path: word.clone(),
                });
                folder.join(&word)
            }
            false => PathBuf::from(&word),
        };
        self.push_named(&name, &word, value.into_os_string());
    }

    /// Adds an option by its name with dashes: the value as it is shown, and the value that `clap` reads.
    pub(crate) fn push_named(&mut self, name: &str, shown: &str, resolved: OsString) {
        // After a space, `-1` could be read as an option.
        match shown.starts_with('-') || shown.is_empty() {
            true => self.shown.push(format!("{name}={shown}")),
            false => self.shown.extend([name.to_owned(), shown.to_owned()]),
        }
        let mut word = OsString::from(format!("{name}="));
        word.push(resolved);
        self.resolved.push(word);
    }

    /// Adds `NAME=FILE` to an option that takes several.
    pub(crate) fn push_named_file(&mut self, option: &str, name: &str, file: &str, folder: &Path) {
        self.files.push(NamedFile {
            key: option.trim_start_matches('-').to_owned(),
            path: file.to_owned(),
        });
        let mut resolved = OsString::from(format!("{name}="));
        resolved.push(folder.join(file));
        self.push_named(option, &format!("{name}={file}"), resolved);
    }

    /// The command as a line for a shell; `None` for keys that only studies have.
    pub(crate) fn shown(&self, seed: Option<u64>) -> Option<String> {
        let seed = seed.map(|seed| ["--seed".to_owned(), seed.to_string()]);
        let words = std::iter::once("xai".to_owned())
            .chain(self.shown.iter().cloned())
            .chain(seed.into_iter().flatten());
        (!self.command.path.is_empty()).then(|| shell::line(words))
    }

    /// The arguments of the command.
    pub(crate) fn parse<A: Args + FromArgMatches>(&self) -> Result<A, clap::Error> {
        let command = taking_negative_numbers((self.command.command)());
        A::from_arg_matches(&command.try_get_matches_from(&self.resolved)?)
    }
}

/// The words of a value: one per time that the option is written, `None` for an option without a value.
fn words(key: &Key, option: &OptionOfKey) -> Result<Vec<Option<String>>, WrongValue> {
    let wrong = |expected: &str| WrongValue {
        at: key.value_at.clone(),
        what: format!("`{}`: expected {expected}", key.name),
    };
    let is_file = option.is() == Is::File;
    match (option.takes(), &key.value) {
        (Takes::One, Value::Truth(_)) if is_file => Err(wrong("text")),
        (Takes::One, Value::Word(word)) if is_file && word.is_empty() => Err(wrong("text")),
        (Takes::Nothing, Value::Truth(true)) => Ok(vec![None]),
        (Takes::Nothing, Value::Truth(false)) => Ok(Vec::new()),
        (Takes::Nothing, _) => Err(wrong("true or false")),
        (Takes::One | Takes::Many, Value::Word(word)) => Ok(vec![Some(word.clone())]),
        (Takes::One, Value::Truth(truth)) => Ok(vec![Some(truth.to_string())]),
        (Takes::Many, Value::List(values)) => {
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
        (Takes::Many, Value::Tables(tables)) => {
            let words = tables.iter().map(|table| setting(table).map(Some));
            words.collect::<Option<_>>().ok_or_else(|| wrong(SETTING))
        }
        // Options that take a list in one word: "0.1,0.2".
        (Takes::One, Value::List(values)) => {
            let word = joined(values).ok_or_else(|| wrong("text or a number"));
            word.map(|word| vec![Some(word)])
        }
        (Takes::Many, _) => Err(wrong("text, a number, or a list of them")),
        (Takes::One, _) => Err(wrong("text or a number")),
    }
}

/// Words in one, separated by commas; `None` where other values are among them.
fn joined(values: &[Value]) -> Option<String> {
    let words = values.iter().map(|value| match value {
        Value::Word(word) => Some(word.as_str()),
        _ => None,
    });
    Some(words.collect::<Option<Vec<_>>>()?.join(","))
}

const SETTING: &str = "a table with `name` and parameters, { name = \"deletion\", steps = 20 }";

/// A metric with settings, `{ name = "deletion", steps = 20 }`, as the command line has it: `deletion(steps=20)`.
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
    let name = name?;
    Some(Setting { name, params }.to_string())
}
