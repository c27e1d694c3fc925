//! Option values of the form `NAME=FILE`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap_lex::OsStrExt;

/// A file with a name, given as `NAME=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedFile {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
}

impl NamedFile {
    /// Returns the value parser for `clap`.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Self> {
        OsStringValueParser::new().try_map(Self::parse)
    }

    fn parse(argument: OsString) -> Result<Self, &'static str> {
        match argument.split_once("=") {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok(Self {
                name: name.to_string_lossy().into_owned(),
                file: file.into(),
            }),
            _ => Err("expected NAME=FILE, the name of an explainer and its file"),
        }
    }

    /// Returns the file with the given name.
    pub(crate) fn find<'a>(files: &'a [Self], name: &str) -> Option<&'a Path> {
        let found = files.iter().find(|file| file.name == name);
        found.map(|file| &*file.file)
    }
}
