//! `cargo xtask ci fmt`: every Rust file of the workspace is formatted.
//!
//! Not `cargo fmt --check`: it does not follow modules that a macro declares, and the registries of
//! metrics do declare theirs so.

use crate::outcome::Result;
use crate::workspace;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn check() -> Result {
    let mut files = Vec::new();
    for folder in ["crates", "benches", "xtask"] {
        rust_files(&workspace::root().join(folder), &mut files)?;
    }
    let status = Command::new("rustfmt")
        .args(["--check", "--edition", "2024"])
        .args(files)
        .status()?;
    match status.success() {
        true => Ok(()),
        false => {
            Err("run `cargo fmt`, and `rustfmt` by name for files that a macro declares".into())
        }
    }
}

/// The Rust files below a folder, in order.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_macro_declares_are_found() {
        let mut files = Vec::new();
        rust_files(&workspace::root().join("crates"), &mut files).expect("the folder of crates");
        let declared = "xai-attribution/src/metric/faithfulness/masking/average_drop.rs";
        assert!(files.iter().any(|file| file.ends_with(declared)));
    }
}
