//! Kind and origin of the sections of a report.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of section, for example all sections about graph explanations.
#[derive(Debug, PartialEq, Eq)]
pub struct SectionKind {
    /// Key of these sections in `report.json` and in a study.
    pub key: &'static str,
    /// Heading of these sections on the page.
    pub title: &'static str,
    /// Question that these sections answer.
    pub question: &'static str,
    /// Limits of the interpretation, shown with every section.
    pub limits: &'static [&'static str],
}

/// Name of a section and the inputs from which it was computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Family and number of the section, for example `casebased-1`. Also its anchor on the page.
    pub id: String,
    /// Key of the family in the study, for example `casebased`.
    pub family: String,
    /// Name of the section in the study.
    pub name: String,
    /// Random seed of the section.
    pub seed: u64,
    /// Values of the options on which the numbers depend, including defaults, except files, seed
    /// and the settings of single metrics. Empty if unknown.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Commands that compute the numbers of the section, to be run in the folder of the study.
    pub commands: Vec<String>,
    /// Files that were read.
    pub files: Vec<InputFile>,
    /// Remarks for the reader, such as columns that were left out, assumed channels, or samples
    /// chosen for the page.
    pub remarks: Vec<String>,
}

impl Origin {
    /// Creates the origin of the `number`-th section of a kind (from 1), without files and with seed 1.
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

/// An input file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputFile {
    /// Path as written in the study.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 in hexadecimal, as `sha256sum` prints it; `None` if it is not a regular file.
    pub sha256: Option<String>,
}
