//! The built-in sample study.

use std::path::{Path, PathBuf};

use include_dir::{Dir, File, include_dir};
use tempfile::TempDir;
use xai_files::{Failure, InFile};

use crate::output::whole_file;

/// The study and its files, which are part of the binary.
static SAMPLE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sample");

/// File name of the study.
pub(crate) const STUDY: &str = "study.toml";

/// File name of the expected values of `self-check`, which is not a file of the study.
const FIGURES: &str = "figures.json";

/// Returns the files of a folder and of its subfolders, except [`FIGURES`].
fn files(folder: &'static Dir<'static>) -> Vec<&'static File<'static>> {
    let own = folder
        .files()
        .filter(|file| file.path() != Path::new(FIGURES));
    own.chain(folder.dirs().flat_map(files)).collect()
}

/// Writes the files into a temporary folder, which is removed when the value is dropped.
pub(crate) fn in_temporary_folder() -> Result<TempDir, Failure> {
    let folder = TempDir::new()
        .map_err(|error| Failure::new(format!("no temporary folder can be created: {error}")))?;
    write(folder.path())?;
    Ok(folder)
}

/// Returns the first of the sample's files that exists in a folder.
pub(crate) fn first_existing(folder: &Path) -> Option<PathBuf> {
    files(&SAMPLE)
        .into_iter()
        .map(|file| folder.join(file.path()))
        .find(|path| path.exists())
}

/// Writes the files into a folder.
pub(crate) fn write(folder: &Path) -> Result<(), Failure> {
    for file in files(&SAMPLE) {
        let path = folder.join(file.path());
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)
                .map_err(Failure::cannot_be_written)
                .in_file(parent)?;
        }
        whole_file::write(&path, |out| {
            let written = out.write_all(file.contents());
            written.map_err(Failure::cannot_be_written)
        })?;
    }
    Ok(())
}
