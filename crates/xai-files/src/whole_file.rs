//! Output files that are either complete or unchanged.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::destination::{Destination, display_name, folder};
use crate::failure::{Failure, InFile};

/// Temporary files that are being written, for [`remove_unfinished`].
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An output file that is written to a temporary file and renamed by [`finish`](Self::finish), so that it is never
/// visible in part. If it is dropped before, nothing remains of it.
///
/// Links are followed, and stay. A new file has the permissions of the umask, and an existing file keeps its
/// permissions and owner. If a new file cannot replace it (it has several names, belongs to another user, or its
/// folder is not writable), the complete output is copied into it. Devices, pipes and descriptors are written to
/// directly, and `-` is standard output. The crates `tempfile` and `atomic-write-file` would replace links,
/// devices, pipes and files without write permission.
///
/// ```
/// use std::io::Write;
/// use xai_files::WholeFile;
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("rows.csv");
/// let mut file = WholeFile::create(&path)?;
/// file.write_all(b"a,b\n")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"a,b\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WholeFile {
    /// The name in messages.
    name: PathBuf,
    to: BufWriter<Target>,
}

/// The destination of output before the file is finished.
enum Target {
    /// A device, a pipe or a descriptor.
    Stream(Box<dyn Write + Send>),
    /// A temporary file in the folder of the target, which will be renamed. Fields are dropped in this order, so
    /// the file is removed before its registration.
    Temporary {
        file: NamedTempFile,
        target: PathBuf,
        registration: Unfinished,
    },
    /// An unnamed temporary file, which will be copied into the target.
    Copied { whole: File, target: File },
}

impl Target {
    fn stream(&mut self) -> &mut dyn Write {
        match self {
            Self::Stream(stream) => stream,
            Self::Temporary { file, .. } => file,
            Self::Copied { whole, .. } => whole,
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.stream().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.stream().flush()
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

impl WholeFile {
    /// Creates the temporary file.
    ///
    /// # Errors
    /// No file can be written at the path.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let target = Destination::open(path).and_then(|destination| match destination {
            Destination::Stream(stream) => Ok(Target::Stream(stream)),
            Destination::File(target) => Target::for_file(target),
        });
        let name = display_name(path).to_owned();
        let to = BufWriter::new(target.in_file(&name)?);
        Ok(Self { name, to })
    }

    /// Writes the rest of the output, and renames the file.
    ///
    /// # Errors
    /// The rest cannot be written, or the file cannot be renamed.
    pub fn finish(self) -> Result<(), Failure> {
        finish_all([self])
    }

    fn flush_all(self) -> Result<(PathBuf, Target), Failure> {
        let Self { name, to } = self;
        let flushed = to
            .into_inner()
            .map_err(|error| error.into_error())
            .and_then(|mut target| target.flush().map(|()| target));
        match flushed {
            Ok(target) => Ok((name, target)),
            Err(error) => Err(Failure::cannot_be_written(error)).in_file(name),
        }
    }
}

/// Finishes several files. All of them are written before the first is renamed, and an interrupt waits until the
/// last is renamed.
///
/// # Errors
/// If the rest of a file cannot be written, no file is renamed. If a file cannot be renamed, the files before it are.
pub fn finish_all(files: impl IntoIterator<Item = WholeFile>) -> Result<(), Failure> {
    let flushed = files.into_iter().map(WholeFile::flush_all);
    // Declared before the lock and therefore dropped after it, because dropping a registration takes the lock.
    let mut waiting = flushed.collect::<Result<Vec<_>, _>>()?.into_iter();
    let mut registrations = Vec::new();
    let _lock = lock_unfinished();
    waiting.by_ref().try_for_each(|(name, target)| {
        let renamed = target.rename(&mut registrations);
        renamed.map_err(Failure::cannot_be_written).in_file(name)
    })
}

impl Target {
    fn for_file(target: PathBuf) -> Result<Self, Failure> {
        // A file that may not be written must not be replaced either.
        let existing = match OpenOptions::new().write(true).open(&target) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::cannot_be_written(error)),
        };
        let temporary = match &existing {
            None => new_file(&target).map(Some),
            Some(existing) => new_file_like(existing, &target),
        };
        match (temporary.map_err(Failure::cannot_be_written)?, existing) {
            (Some(file), _) => Ok(Self::Temporary {
                registration: Unfinished::register(file.path()),
                file,
                target,
            }),
            (None, Some(target)) => Ok(Self::Copied {
                whole: tempfile::tempfile().map_err(Failure::cannot_be_written)?,
                target,
            }),
            (None, None) => Err(Failure::cannot_be_written("its folder takes no file")),
        }
    }

    /// Renames or copies the output to its target. The caller holds the lock, so that no interrupt comes in the
    /// middle of a copy.
    fn rename(self, registrations: &mut Vec<Unfinished>) -> std::io::Result<()> {
        match self {
            Self::Stream(_) => Ok(()),
            Self::Temporary {
                file,
                target,
                registration,
            } => {
                registrations.push(registration);
                file.persist(target).map(drop).map_err(|error| error.error)
            }
            Self::Copied {
                mut whole,
                mut target,
            } => {
                whole.rewind()?;
                // Truncated last, so that output that is not longer than the old content needs no free space.
                let length = std::io::copy(&mut whole, &mut target)?;
                target.set_len(length)
            }
        }
    }
}

/// Writes a [`WholeFile`] with a function, and finishes it unless the function fails.
///
/// # Errors
/// The file cannot be written, or the function fails. The error names the file.
pub fn write<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut file = WholeFile::create(path)?;
    let written = write(&mut file).in_file(display_name(path))?;
    file.finish()?;
    Ok(written)
}

/// Creates a temporary file in the folder of the target, with the default permissions of new files.
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

/// Creates a temporary file in the folder of an existing file, with its permissions and owner. `None` if that is not
/// possible, or if the file has several names.
fn new_file_like(existing: &File, target: &Path) -> std::io::Result<Option<NamedTempFile>> {
    let metadata = existing.metadata()?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&metadata) > 1 {
        return Ok(None);
    }
    let temporary = match tempfile::Builder::new()
        .prefix(".xai-")
        .tempfile_in(folder(target))
    {
        Ok(temporary) => temporary,
        Err(error) => {
            let not_writable = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
            return if not_writable.contains(&error.kind()) {
                Ok(None)
            } else {
                Err(error)
            };
        }
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let own = temporary.as_file().metadata()?;
        let is_owner = (own.uid(), own.gid()) == (metadata.uid(), metadata.gid());
        let (owner, group) = (Some(metadata.uid()), Some(metadata.gid()));
        if !is_owner && fchown(temporary.as_file(), owner, group).is_err() {
            return Ok(None);
        }
    }
    temporary
        .as_file()
        .set_permissions(metadata.permissions())?;
    Ok(Some(temporary))
}

/// Registration of a temporary file for [`remove_unfinished`], which ends when it is dropped.
struct Unfinished(PathBuf);

impl Unfinished {
    fn register(path: &Path) -> Self {
        lock_unfinished().push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        lock_unfinished().retain(|path| *path != self.0);
    }
}

fn lock_unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes temporary files, for a process that is ended by an interrupt and does not drop them.
pub fn remove_unfinished() {
    for path in lock_unfinished().iter() {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let n_files = || std::fs::read_dir(folder.path()).unwrap().count();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(n_files(), 1);
        drop(file);
        assert_eq!(n_files(), 0);
        let failed = write(&path, |file| {
            file.write_all(b"half")
                .map_err(Failure::cannot_be_written)?;
            Err::<(), _>(Failure::new("no more"))
        });
        assert_eq!(failed.unwrap_err().place(), path.to_str());
        assert_eq!(n_files(), 0);
    }

    #[test]
    fn of_several_files_none_has_its_name_before_all_are_whole() {
        let folder = tempfile::tempdir().unwrap();
        let n_files = || std::fs::read_dir(folder.path()).unwrap().count();
        let create = |name: &str| {
            let mut file = WholeFile::create(&folder.path().join(name)).unwrap();
            file.write_all(name.as_bytes()).unwrap();
            file
        };
        finish_all([create("a"), create("b")]).unwrap();
        assert_eq!(std::fs::read(folder.path().join("b")).unwrap(), b"b");
        // A name that a folder takes in the meantime: the files after it are removed, too.
        let files = [create("c"), create("d")];
        std::fs::create_dir(folder.path().join("c")).unwrap();
        assert!(finish_all(files).is_err());
        assert_eq!(n_files(), 3);
        assert!(
            lock_unfinished()
                .iter()
                .all(|path| !path.starts_with(folder.path()))
        );
    }

    #[test]
    fn a_file_that_exists_is_as_it_was_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other_name) = (folder.path().join("out"), folder.path().join("other"));
        std::fs::write(&path, "old and longer").unwrap();
        for linked in [false, true] {
            // A file of two names is copied into, one of one name is replaced.
            if linked {
                std::fs::hard_link(&path, &other_name).unwrap();
            }
            let before = std::fs::read(&path).unwrap();
            let mut file = WholeFile::create(&path).unwrap();
            file.write_all(b"new").unwrap();
            file.flush().unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), before);
            file.finish().unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"new");
        }
        assert_eq!(std::fs::read(&other_name).unwrap(), b"new");
    }
}
