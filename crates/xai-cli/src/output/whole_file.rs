//! Files that are whole or not there.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::failure::{Failure, InFile};

/// Files that are being written; an interrupt removes them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes a file beside its final name and renames it when it is whole, so that no reader, and no
/// interrupted run, ever sees half of it.
pub(crate) fn write<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    remove_unfinished_on_interrupt();
    let mut file = tempfile::Builder::new()
        .prefix(".xai-")
        .tempfile_in(folder)
        .map_err(Failure::cannot_be_written)
        .in_file(path)?;
    let unfinished = file.path().to_owned();
    lock_unfinished().push(unfinished.clone());
    let mut buffered = std::io::BufWriter::new(&mut file);
    let written = write(&mut buffered).and_then(|written| {
        buffered.flush().map_err(Failure::cannot_be_written)?;
        Ok(written)
    });
    drop(buffered);
    let outcome = written.and_then(|written| {
        make_readable(file.path())
            .and_then(|()| file.persist(path).map_err(|e| e.error))
            .map_err(Failure::cannot_be_written)?;
        Ok(written)
    });
    lock_unfinished().retain(|path| *path != unfinished);
    outcome.in_file(path)
}

/// Writes a file of text.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    write(path, |file| {
        file.write_all(text.as_bytes())
            .map_err(Failure::cannot_be_written)
    })
}

/// Temporary files are private; a result should have the permissions of any new file.
fn make_readable(path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

fn lock_unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove_unfinished_on_interrupt() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        // Without a handler an interrupt still leaves no half-written result, only a stray file.
        let _ = ctrlc::set_handler(|| {
            for path in lock_unfinished().iter() {
                let _ = std::fs::remove_file(path);
            }
            std::process::exit(130);
        });
    });
}
