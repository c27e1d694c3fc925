//! Files that are whole or not there.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tempfile::NamedTempFile;

use super::destination::{Destination, folder};
pub(crate) use super::destination::{called, is_file, is_standard_output, standard_output};
use crate::failure::{Failure, InFile};

/// Files that are being written; an interrupt removes them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes a file beside its final name and renames it when it is whole, so that no reader, and no
/// interrupted run, ever sees half of it.
///
/// A link stays, and the file that it leads to is written. A new file has the permissions that the
/// umask leaves; one that exists keeps its permissions and its owner. Where that needs the file itself
/// (it has several names, its folder takes no new file, its owner is somebody else) the whole output
/// is made first and then copied into the file. Devices, pipes and descriptors are written to;
/// `-` is standard output.
pub(crate) fn write<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let written = Destination::open(path).and_then(|destination| match destination {
        Destination::Stream(mut stream) => fill(&mut stream, write),
        Destination::File(target) => {
            remove_unfinished_on_interrupt();
            replace(&target, write)
        }
    });
    written.in_file(called(path))
}

/// Writes a file of text.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    write(path, |file| {
        file.write_all(text.as_bytes())
            .map_err(Failure::cannot_be_written)
    })
}

/// Does the work of writing, through a buffer.
fn fill<T>(
    file: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut buffered = BufWriter::new(file);
    let written = write(&mut buffered)?;
    buffered.flush().map_err(Failure::cannot_be_written)?;
    Ok(written)
}

fn replace<T>(
    target: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // A file that may not be written is not replaced either.
    let existing = match OpenOptions::new().write(true).open(target) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(Failure::cannot_be_written(error)),
    };
    let beside = match &existing {
        None => new_file(target).map(Some),
        Some(existing) => like(existing, target),
    };
    match (beside.map_err(Failure::cannot_be_written)?, existing) {
        (Some(beside), existing) => {
            drop(existing);
            rename(beside, target, write)
        }
        (None, Some(existing)) => copy_into(existing, write),
        (None, None) => Err(Failure::cannot_be_written("its folder takes no file")),
    }
}

/// A file beside a name, with the permissions of any new file.
fn new_file(target: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".xai-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder(target))
}

/// A file beside one that exists, with its permissions and owner. `None` where only the file itself
/// can have them.
fn like(existing: &File, target: &Path) -> std::io::Result<Option<NamedTempFile>> {
    let metadata = existing.metadata()?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&metadata) > 1 {
        return Ok(None);
    }
    let beside = match tempfile::Builder::new()
        .prefix(".xai-")
        .tempfile_in(folder(target))
    {
        Ok(beside) => beside,
        Err(error) => {
            let closed = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
            return match closed.contains(&error.kind()) {
                true => Ok(None),
                false => Err(error),
            };
        }
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = beside.as_file().metadata()?;
        let is_owner = (own.uid(), own.gid()) == (metadata.uid(), metadata.gid());
        let (owner, group) = (Some(metadata.uid()), Some(metadata.gid()));
        if !is_owner && fchown(beside.as_file(), owner, group).is_err() {
            return Ok(None);
        }
    }
    beside.as_file().set_permissions(metadata.permissions())?;
    Ok(Some(beside))
}

/// Writes a file and gives it its name.
fn rename<T>(
    mut beside: NamedTempFile,
    target: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let unfinished = beside.path().to_owned();
    lock_unfinished().push(unfinished.clone());
    let written = fill(&mut beside, write).and_then(|written| {
        let named = beside.persist(target);
        named.map_err(|error| Failure::cannot_be_written(error.error))?;
        Ok(written)
    });
    lock_unfinished().retain(|path| *path != unfinished);
    written
}

/// Makes the whole output, then copies it into a file.
fn copy_into<T>(
    mut file: File,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut whole = tempfile::tempfile().map_err(Failure::cannot_be_written)?;
    let written = fill(&mut whole, write)?;
    // An interrupt waits for this lock: it does not come in the midst of the copy.
    let _undisturbed = lock_unfinished();
    let copied = whole.rewind().and_then(|()| {
        // Cut last: an output no longer than the old one needs no room on the disk.
        let length = std::io::copy(&mut whole, &mut file)?;
        file.set_len(length)
    });
    copied.map_err(Failure::cannot_be_written)?;
    Ok(written)
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
