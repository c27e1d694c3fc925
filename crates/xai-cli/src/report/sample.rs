//! The built-in sample study.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use xai_files::{Failure, InFile};

use crate::output::whole_file;
use crate::report::section::{SampleFiles, sample};
use crate::report::sections::SECTIONS;

/// The study file.
pub(crate) const STUDY: &str = "study.toml";

/// All files, with those of each kind of section.
fn files() -> impl Iterator<Item = &'static (&'static str, &'static [u8])> {
    let study: SampleFiles = sample!["study.toml"];
    let sections = SECTIONS.iter().flat_map(|section| section.sample());
    study.iter().chain(sections)
}

/// The files in a folder that is gone when the value is.
pub(crate) fn in_temporary_folder() -> Result<TempDir, Failure> {
    let folder =
        TempDir::new().map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
    write(folder.path())?;
    Ok(folder)
}

/// The first of the files that is in a folder already.
pub(crate) fn first_there(folder: &Path) -> Option<PathBuf> {
    let mut files = files().map(|(name, _)| folder.join(name));
    files.find(|file| file.exists())
}

/// Writes the files into a folder.
pub(crate) fn write(folder: &Path) -> Result<(), Failure> {
    for (name, bytes) in files() {
        let file = folder.join(name);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent)
                .map_err(Failure::cannot_be_written)
                .in_file(parent)?;
        }
        whole_file::write(&file, |out| {
            out.write_all(bytes).map_err(Failure::cannot_be_written)
        })?;
    }
    Ok(())
}
