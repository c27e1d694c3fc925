//! Where a section comes from: its files and its commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a section is called and what it was made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Origin {
    /// The family and the number of the section in it: `casebased-1`. The anchor on the page.
    pub(crate) id: String,
    /// The key of the family in the study: `casebased`.
    pub(crate) family: String,
    /// The name that the study gives the section.
    pub(crate) name: String,
    /// The seed of what is random in it.
    pub(crate) seed: u64,
    /// The commands that give the numbers of the section, to be run in the folder of the study.
    pub(crate) commands: Vec<String>,
    /// Every file that was read.
    pub(crate) files: Vec<InputFile>,
    /// What a reader may overlook: columns left out, channels assumed, what was sampled for the page.
    pub(crate) remarks: Vec<String>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct InputFile {
    /// Its path, as the study has it.
    pub(crate) path: String,
    /// Its size.
    pub(crate) bytes: u64,
    /// Its SHA-256 in hexadecimal, as `sha256sum` prints it; `None` for what is no regular file.
    pub(crate) sha256: Option<String>,
}
