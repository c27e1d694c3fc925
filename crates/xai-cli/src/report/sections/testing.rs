//! Helpers for the tests of the sections.

use std::path::{Path, PathBuf};

use clap::{Args, Command, FromArgMatches};
use xai_report::Origin;

use crate::Context;

/// Parses arguments (without a program name) as the options `T`. Panics if they are invalid.
pub(crate) fn parsed<T: Args + FromArgMatches>(line: &[&str]) -> T {
    let command = T::augment_args(Command::new("section"));
    let words = std::iter::once("section").chain(line.iter().copied());
    let matches = command.try_get_matches_from(words).unwrap();
    T::from_arg_matches(&matches).unwrap()
}

pub(crate) fn context() -> Context {
    parsed(&["--quiet"])
}

pub(crate) fn origin() -> Origin {
    Origin {
        seed: 1,
        settings: std::collections::BTreeMap::new(),
        id: "section-1".into(),
        family: "section".into(),
        name: "Section".into(),
        commands: Vec::new(),
        files: Vec::new(),
        remarks: Vec::new(),
    }
}

/// Returns the path of a file of the built-in study; `name` is relative to the folder `sample` of the crate.
pub(crate) fn sample(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample");
    folder.join(name).display().to_string()
}

/// Writes a file into a folder and returns its path.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}
