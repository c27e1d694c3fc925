//! Writing of files so that they are complete or unchanged, also after Ctrl-C.

use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use xai_files::whole_file;
use xai_files::{Failure, InFile, WholeFile};

pub(crate) use xai_files::destination::{
    display_name, is_file, is_standard_output, standard_output,
};

/// Writes a file with [`WholeFile`], which an interrupt removes if it is incomplete.
pub(crate) fn write<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    remove_unfinished_on_interrupt(path);
    whole_file::write(path, write)
}

/// Writes several text files. They are complete under temporary names before the first is renamed, so an error while
/// writing changes none of them.
pub(crate) fn write_together(files: &[(&Path, &str)]) -> Result<(), Failure> {
    let written = files.iter().map(|(path, text)| {
        remove_unfinished_on_interrupt(path);
        let mut file = WholeFile::create(path)?;
        let written = file.write_all(text.as_bytes());
        written.map_err(Failure::cannot_be_written).in_file(path)?;
        Ok(file)
    });
    whole_file::finish_all(written.collect::<Result<Vec<_>, Failure>>()?)
}

pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    write(path, |file| {
        file.write_all(text.as_bytes())
            .map_err(Failure::cannot_be_written)
    })
}

fn remove_unfinished_on_interrupt(path: &Path) {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    // Streams leave nothing behind, so the default handling of an interrupt is enough.
    if !is_file(path).is_ok_and(|is_file| is_file) {
        return;
    }
    INSTALLED.get_or_init(|| {
        // If the handler cannot be installed, an interrupt leaves a temporary file but no incomplete result.
        let _ = ctrlc::set_handler(|| {
            whole_file::remove_unfinished();
            std::process::exit(130);
        });
    });
}
