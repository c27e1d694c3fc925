//! The built-in sample study.

use std::path::{Path, PathBuf};

use include_dir::{Dir, File, include_dir};
use tempfile::TempDir;
use xai_files::{Failure, InFile};

use crate::output::whole_file;

/// The study and its files, so that the binary needs nothing beside it.
static SAMPLE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sample");

/// The study file.
pub(crate) const STUDY: &str = "study.toml";

/// What `self-check` expects, which is no file of the study.
const FIGURES: &str = "figures.json";

/// The files of a folder and of those in it.
fn files(folder: &'static Dir<'static>) -> Vec<&'static File<'static>> {
    let own = folder
        .files()
        .filter(|file| file.path() != Path::new(FIGURES));
    own.chain(folder.dirs().flat_map(files)).collect()
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
    let mut files = files(&SAMPLE).into_iter();
    files.find_map(|file| Some(folder.join(file.path())).filter(|file| file.exists()))
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
