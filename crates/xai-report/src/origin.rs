//! What a section of a report is, and what it was made from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of section: what all sections of one key have in common.
#[derive(Debug, PartialEq, Eq)]
pub struct SectionKind {
    /// The key of its sections in `report.json` and in a study.
    pub key: &'static str,
    /// The title of its part of the page.
    pub title: &'static str,
    /// What its sections answer.
    pub question: &'static str,
    /// What a reader must not take the numbers for.
    pub limits: &'static [&'static str],
}

/// What a section is called and what it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The family and the number of the section in it: `casebased-1`. The anchor on the page.
    pub id: String,
    /// The key of the family in the study: `casebased`.
    pub family: String,
    /// The name that the study gives the section.
    pub name: String,
    /// The seed of what is random in it.
    pub seed: u64,
    /// What its numbers depend on besides files, seed and settings of single metrics: options and their values, defaults
    /// included. Empty where it is not known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// The commands that give the numbers of the section, to be run in the folder of the study.
    pub commands: Vec<String>,
    /// Every file that was read.
    pub files: Vec<InputFile>,
    /// What a reader may overlook: columns left out, channels assumed, what was sampled for the page.
    pub remarks: Vec<String>,
}

impl Origin {
    /// The origin of the `number`-th section of a kind, counted from 1, that was made from no file.
    ///
    /// ```
    /// use xai_report::{Origin, sections::repro::Repro};
    /// let origin = Origin::new(&Repro::KIND, 2, "24 small networks");
    /// assert_eq!((origin.id.as_str(), origin.family.as_str()), ("repro-2", "repro"));
    /// ```
    #[must_use]
    pub fn new(kind: &SectionKind, number: usize, name: impl Into<String>) -> Self {
        Self {
            id: format!("{}-{number}", kind.key),
            family: kind.key.to_owned(),
            name: name.into(),
            seed: 1,
            settings: BTreeMap::new(),
            commands: Vec::new(),
            files: Vec::new(),
            remarks: Vec::new(),
        }
    }
}

/// A file that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputFile {
    /// Its path, as the study has it.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal, as `sha256sum` prints it; `None` for what is no regular file.
    pub sha256: Option<String>,
}
