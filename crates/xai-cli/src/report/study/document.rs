//! Syntax of a study: keys and values with their positions in the file.

use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use xai_files::{Failure, InFile};
use xai_report::{KINDS, SectionKind};

use crate::report::study::keys::canonical;
use crate::usage::nearest;

/// A study, with its sections in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    pub(crate) text: StudyText,
    pub(crate) title: String,
    pub(crate) seed: Option<u64>,
    pub(crate) sections: Vec<Section>,
}

/// A section of a study. Positions are byte ranges of the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Section {
    pub(crate) kind: &'static SectionKind,
    /// The key of its kind and its number among the sections of this kind, for example `graph-2`.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) at: Range<usize>,
    /// Its keys except `name` and `explainers`.
    pub(crate) keys: Vec<Key>,
    /// The tables under `explainers`.
    pub(crate) explainers: Vec<Table>,
}

/// A table inside a section.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) at: Range<usize>,
    pub(crate) keys: Vec<Key>,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) at: Range<usize>,
    pub(crate) value_at: Range<usize>,
    pub(crate) value: Value,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Text, or a decimal number as it is written, but without underscores.
    Word(String),
    Truth(bool),
    List(Vec<Value>),
    Tables(Vec<Table>),
    /// A value that no key takes, for example a date or a hexadecimal number, by the TOML name of its type.
    Other(&'static str),
}

impl Document {
    /// Parses the text of a study.
    ///
    /// # Errors
    /// If it is not valid TOML in UTF-8, has an unknown key outside the sections, a section that is not a table, or a
    /// title, seed or name of the wrong type.
    pub(crate) fn parse(file: &Path, bytes: &[u8]) -> Result<Self, Failure> {
        let utf8 = std::str::from_utf8(bytes).map_err(|_| {
            Failure::new("not UTF-8 text")
                .help("pass a study: a TOML file in UTF-8")
                .in_file(file)
        })?;
        let text = StudyText {
            file: file.to_owned(),
            // Some editors write a byte-order mark.
            text: utf8.trim_start_matches('\u{feff}').to_owned(),
        };
        let table = DeTable::parse(&text.text).map_err(|error| {
            let at = error.span().unwrap_or_default();
            text.failure(at, error.message())
        })?;
        let mut document = Self {
            text: text.clone(),
            title: "Study".to_owned(),
            seed: None,
            sections: Vec::new(),
        };
        for key in keys(table.get_ref()) {
            document.add(key)?;
        }
        document.number_sections();
        Ok(document)
    }

    fn add(&mut self, key: Key) -> Result<(), Failure> {
        let text = self.text.clone();
        let expected = |what: &str| {
            text.failure(
                key.value_at.clone(),
                format!("`{}`: expected {what}", key.name),
            )
        };
        match (key.name.as_str(), &key.value) {
            ("title", Value::Word(title)) => self.title = title.clone(),
            ("title", _) => return Err(expected("text")),
            ("seed", Value::Word(seed)) => {
                self.seed = Some(
                    seed.parse()
                        .map_err(|_| expected("a whole number, at least 0"))?,
                );
            }
            ("seed", _) => return Err(expected("a whole number, at least 0")),
            (name, Value::Tables(tables)) => {
                let Some(kind) = kind(name) else {
                    return Err(self.unknown(&key));
                };
                for table in tables {
                    self.sections.push(Section::new(kind, table, &text)?);
                }
            }
            (name, _) if kind(name).is_some() => {
                return Err(expected(&format!("a section, [[{name}]]")));
            }
            _ => return Err(self.unknown(&key)),
        }
        Ok(())
    }

    fn unknown(&self, key: &Key) -> Failure {
        let kinds = KINDS.iter().map(|kind| kind.key);
        let valid: Vec<&str> = ["title", "seed"].into_iter().chain(kinds).collect();
        let failure = self
            .text
            .failure(key.at.clone(), format!("unknown key `{}`", key.name));
        failure.help(nearest(&key.name, &valid))
    }

    /// Numbers the sections of each kind, names those without a name, and makes names unique.
    fn number_sections(&mut self) {
        self.sections.sort_by_key(|section| section.at.start);
        for kind in KINDS {
            let sections: Vec<&mut Section> = self
                .sections
                .iter_mut()
                .filter(|section| section.kind == *kind)
                .collect();
            let n = sections.len();
            let mut taken: Vec<String> = Vec::new();
            for (i, section) in sections.into_iter().enumerate() {
                let number = i + 1;
                section.id = format!("{}-{number}", kind.key);
                if section.name.is_empty() {
                    section.name = match n {
                        1 => kind.key.to_owned(),
                        _ => format!("{} {number}", kind.key),
                    };
                }
                // `xai report diff` matches sections by name.
                if taken.contains(&section.name) {
                    section.name = format!("{} ({number})", section.name);
                }
                taken.push(section.name.clone());
            }
        }
    }
}

/// Returns the kind of section for a key.
fn kind(key: &str) -> Option<&'static SectionKind> {
    KINDS.iter().copied().find(|kind| kind.key == key)
}

impl Section {
    fn new(kind: &'static SectionKind, table: &Table, text: &StudyText) -> Result<Self, Failure> {
        let mut section = Self {
            kind,
            id: String::new(),
            name: String::new(),
            at: table.at.clone(),
            keys: Vec::new(),
            explainers: Vec::new(),
        };
        for key in &table.keys {
            match (key.name.as_str(), &key.value) {
                ("name", Value::Word(name)) => section.name.clone_from(name),
                ("name", _) => {
                    return Err(text.failure(key.value_at.clone(), "`name`: expected text"));
                }
                ("explainers", Value::Tables(tables)) => section.explainers.clone_from(tables),
                ("explainers", _) => {
                    let what =
                        format!("`explainers`: expected tables, [[{}.explainers]]", kind.key);
                    return Err(text.failure(key.value_at.clone(), what));
                }
                _ => section.keys.push(key.clone()),
            }
        }
        Ok(section)
    }

    /// Returns a key by its [canonical] name.
    pub(crate) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| canonical(&key.name) == name)
    }
}

impl Table {
    /// Returns a key by its [canonical] name.
    pub(crate) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| canonical(&key.name) == name)
    }
}

/// Returns the keys of a table, in the order of the file.
fn keys(table: &DeTable<'_>) -> Vec<Key> {
    let mut keys: Vec<Key> = table
        .iter()
        .map(|(name, value)| Key {
            name: name.get_ref().to_string(),
            at: name.span(),
            value_at: value.span(),
            value: Value::new(value),
        })
        .collect();
    keys.sort_by_key(|key| key.at.start);
    keys
}

impl Value {
    fn new(value: &Spanned<DeValue<'_>>) -> Self {
        match value.get_ref() {
            DeValue::String(text) => Self::Word(text.to_string()),
            DeValue::Integer(number) if number.radix() == 10 => {
                Self::Word(number.as_str().replace('_', ""))
            }
            DeValue::Float(number) => Self::Word(number.as_str().replace('_', "")),
            DeValue::Boolean(truth) => Self::Truth(*truth),
            DeValue::Table(table) => Self::Tables(vec![Table {
                at: value.span(),
                keys: keys(table),
            }]),
            DeValue::Array(values) => {
                let tables: Option<Vec<Table>> = values.iter().map(as_table).collect();
                match tables {
                    Some(tables) if !tables.is_empty() => Self::Tables(tables),
                    _ => Self::List(values.iter().map(Self::new).collect()),
                }
            }
            other => Self::Other(other.type_str()),
        }
    }
}

fn as_table(value: &Spanned<DeValue<'_>>) -> Option<Table> {
    let table = value.get_ref().as_table()?;
    Some(Table {
        at: value.span(),
        keys: keys(table),
    })
}

/// The text of a study and its file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StudyText {
    pub(crate) file: PathBuf,
    pub(crate) text: String,
}

impl StudyText {
    /// Returns the line of a position, from 1.
    fn line(&self, at: usize) -> usize {
        self.text[..at.min(self.text.len())].matches('\n').count() + 1
    }

    /// Returns a failure at a position of the study, with an excerpt.
    pub(crate) fn failure(&self, at: Range<usize>, what: impl std::fmt::Display) -> Failure {
        let message = format!("line {}: {what}", self.line(at.start));
        let failure = Failure::new(message).excerpt(self.excerpt(at));
        Err::<(), _>(failure).in_file(&self.file).unwrap_err()
    }

    /// Formats the line of a position, with the position underlined.
    fn excerpt(&self, at: Range<usize>) -> String {
        // A position may be the end of the file, and a list may have several lines, of which the first is shown.
        let end = self.text.len();
        let start = at.start.min(end);
        let line_end = self.text[start..].find('\n').map_or(end, |n| start + n);
        let stop = at.end.clamp(start, line_end.max(start));
        let mark = AnnotationKind::Primary.span(start..stop);
        let snippet = Snippet::source(self.text.as_str())
            .path(self.file.to_string_lossy())
            .annotation(mark);
        let group = Group::with_level(Level::ERROR).element(snippet);
        Renderer::plain().render(&[group])
    }
}
