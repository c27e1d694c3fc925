//! Where a section comes from: its files and its commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::family::Family;

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
    /// The commands that give the numbers of the section, to be run in the folder of the study.
    pub commands: Vec<String>,
    /// Every file that was read.
    pub files: Vec<InputFile>,
    /// What a reader may overlook: columns left out, channels assumed, what was sampled for the page.
    pub remarks: Vec<String>,
}

impl Origin {
    /// The origin of the `number`-th section of a family, counted from 1, that was made from no file.
    ///
    /// ```
    /// use xai_report::{Family, Origin};
    /// let origin = Origin::new(Family::Repro, 2, "24 small networks");
    /// assert_eq!((origin.id.as_str(), origin.family.as_str()), ("repro-2", "repro"));
    /// ```
    #[must_use]
    pub fn new(family: Family, number: usize, name: impl Into<String>) -> Self {
        Self {
            id: format!("{}-{number}", family.key()),
            family: family.key().to_owned(),
            name: name.into(),
            seed: 1,
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
