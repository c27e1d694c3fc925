//! The study as it is written: keys and values with their places, no meaning yet.

use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use xai_files::{Failure, InFile};
use xai_report::{KINDS, SectionKind};

use crate::report::study::keys::canonical;
use crate::usage::nearest;

/// A study: its sections in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    pub(crate) text: StudyText,
    pub(crate) title: String,
    pub(crate) seed: Option<u64>,
    pub(crate) sections: Vec<Section>,
}

/// One section.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Section {
    pub(crate) kind: &'static SectionKind,
    /// The key of its kind and its number among them: `graph-2`.
    pub(crate) id: String,
    pub(crate) name: String,
    /// Where it begins.
    pub(crate) at: Range<usize>,
    /// Its keys, but for its name and explainers.
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
    /// Text, or a number as it is written.
    Word(String),
    Truth(bool),
    List(Vec<Value>),
    Tables(Vec<Table>),
    /// What no key takes.
    Other(&'static str),
}

impl Document {
    /// Reads the text of a study.
    ///
    /// # Errors
    /// What is no TOML; a key outside the sections that is none; a section that is no table.
    pub(crate) fn parse(file: &Path, bytes: &[u8]) -> Result<Self, Failure> {
        let text =
            std::str::from_utf8(bytes).map_err(|_| Failure::new("not UTF-8 text").in_file(file))?;
        let text = StudyText {
            file: file.to_owned(),
            // Some editors begin a file with a byte-order mark.
            text: text.trim_start_matches('\u{feff}').to_owned(),
        };
        let table = DeTable::parse(&text.text).map_err(|error| {
            let at = error.span().unwrap_or_default();
            text.failure(at, error.message())
        })?;
        let keys = keys(table.get_ref());
        let mut document = Self {
            text: text.clone(),
            title: "Study".to_owned(),
            seed: None,
            sections: Vec::new(),
        };
        for key in keys {
            document.add(key)?;
        }
        document.number();
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
                        .map_err(|_| expected("a whole number of 0 and more"))?,
                );
            }
            ("seed", _) => return Err(expected("a whole number of 0 and more")),
            (name, Value::Tables(tables)) => {
                let Some(kind) = kind(name) else {
                    return Err(self.unknown(&key));
                };
                let sections = tables.iter();
                let sections = sections.map(|table| Section::new(kind, table, &text));
                self.sections
                    .extend(sections.collect::<Result<Vec<_>, _>>()?);
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

    /// Gives the sections their numbers, and names to those that have none.
    fn number(&mut self) {
        self.sections.sort_by_key(|section| section.at.start);
        for kind in KINDS {
            let sections = self.sections.iter_mut();
            let sections: Vec<&mut Section> =
                sections.filter(|section| section.kind == *kind).collect();
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
                // Two reports are compared by names.
                if taken.contains(&section.name) {
                    section.name = format!("{} ({number})", section.name);
                }
                taken.push(section.name.clone());
            }
        }
    }
}

/// The kind of sections of a key.
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
                _ => section.keys.push(key.clone()),
            }
        }
        Ok(section)
    }

    /// A key by name.
    pub(crate) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| canonical(&key.name) == name)
    }
}

impl Table {
    /// A key by name.
    pub(crate) fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| canonical(&key.name) == name)
    }
}

/// The keys of a table, in the order of the file.
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
                let tables: Option<Vec<Table>> = values.iter().map(table_of).collect();
                match tables {
                    Some(tables) if !tables.is_empty() => Self::Tables(tables),
                    _ => Self::List(values.iter().map(Self::new).collect()),
                }
            }
            other => Self::Other(other.type_str()),
        }
    }
}

fn table_of(value: &Spanned<DeValue<'_>>) -> Option<Table> {
    let table = value.get_ref().as_table()?;
    Some(Table {
        at: value.span(),
        keys: keys(table),
    })
}

/// The text of a study, and the file that it stands in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StudyText {
    pub(crate) file: PathBuf,
    pub(crate) text: String,
}

impl StudyText {
    /// The line of a place, from 1.
    fn line(&self, at: usize) -> usize {
        self.text[..at.min(self.text.len())].matches('\n').count() + 1
    }

    /// A failure at a place of the study, with the line itself.
    pub(crate) fn failure(&self, at: Range<usize>, what: impl std::fmt::Display) -> Failure {
        let message = format!("line {}: {what}", self.line(at.start));
        let failure = Failure::new(message).excerpt(self.excerpt(at));
        Err::<(), _>(failure).in_file(&self.file).unwrap_err()
    }

    /// The line of a place, the place underlined.
    fn excerpt(&self, at: Range<usize>) -> String {
        // A place may be the end of the file, and may span the lines of a list.
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
