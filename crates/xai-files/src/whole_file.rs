//! Files that are whole or as they were.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::destination::{Destination, called, folder};
use crate::failure::{Failure, InFile};

/// Files that are being written; [`remove_unfinished`] removes them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is written beside its final name and renamed when it is [finished](Self::finish), so that no reader, and no
/// interrupted run, ever sees half of it. Nothing is left of a file that is dropped before.
///
/// A link stays, and the file that it leads to is written. A new file has the permissions that the
/// umask leaves; one that exists keeps its permissions and its owner. Where that needs the file itself
/// (it has several names, its folder takes no new file, its owner is somebody else) the whole output
/// is made first and then copied into the file. Devices, pipes and descriptors are written to;
/// `-` is standard output.
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
    /// What a person calls it.
    name: PathBuf,
    to: BufWriter<Target>,
}

/// What is written to before the file is finished.
enum Target {
    /// A device, a pipe or a descriptor.
    Stream(Box<dyn Write + Send>),
    /// A file beside the target, which is renamed. The file is dropped, and with that removed, before its registration.
    Beside {
        file: NamedTempFile,
        target: PathBuf,
        registration: Unfinished,
    },
    /// A file without a name, which is copied into the target.
    Copied { whole: File, target: File },
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Stream(stream) => stream.write(bytes),
            Self::Beside { file, .. } => file.write(bytes),
            Self::Copied { whole, .. } => whole.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Stream(stream) => stream.flush(),
            Self::Beside { file, .. } => file.flush(),
            Self::Copied { whole, .. } => whole.flush(),
        }
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
    /// Begins a file.
    ///
    /// # Errors
    /// A path at which no file can be written.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let target = Destination::open(path).and_then(|destination| match destination {
            Destination::Stream(stream) => Ok(Target::Stream(stream)),
            Destination::File(target) => Target::of_file(target),
        });
        let name = called(path).to_owned();
        let to = BufWriter::new(target.in_file(&name)?);
        Ok(Self { name, to })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// The rest cannot be written, or the file not be renamed.
    pub fn finish(self) -> Result<(), Failure> {
        finish_all([self])
    }

    /// What is to be written is on its way to the disk.
    fn flushed(self) -> Result<(PathBuf, Target), Failure> {
        let Self { name, to } = self;
        let target = to.into_inner().map_err(|error| error.into_error());
        let flushed = target.and_then(|mut target| target.flush().map(|()| target));
        match flushed {
            Ok(target) => Ok((name, target)),
            Err(error) => Err(Failure::cannot_be_written(error)).in_file(name),
        }
    }
}

/// Gives several files their names. All of them are written before the first has its name, and an interrupt waits until the
/// last has its own.
///
/// # Errors
/// The rest of a file cannot be written: no file has its name then. A file cannot be renamed: those before it have theirs.
pub fn finish_all(files: impl IntoIterator<Item = WholeFile>) -> Result<(), Failure> {
    let flushed = files.into_iter().map(WholeFile::flushed);
    // Declared before the lock and so dropped after it, for they take it.
    let mut waiting = flushed.collect::<Result<Vec<_>, _>>()?.into_iter();
    let mut registrations = Vec::new();
    let _undisturbed = lock_unfinished();
    waiting.by_ref().try_for_each(|(name, target)| {
        let named = target.give_name(&mut registrations);
        named.map_err(Failure::cannot_be_written).in_file(name)
    })
}

impl Target {
    fn of_file(target: PathBuf) -> Result<Self, Failure> {
        // A file that may not be written is not replaced either.
        let existing = match OpenOptions::new().write(true).open(&target) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::cannot_be_written(error)),
        };
        let beside = match &existing {
            None => new_file(&target).map(Some),
            Some(existing) => like(existing, &target),
        };
        match (beside.map_err(Failure::cannot_be_written)?, existing) {
            (Some(file), _) => Ok(Self::Beside {
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

    /// An interrupt waits for the caller's lock: it does not come in the midst of a copy.
    fn give_name(self, registrations: &mut Vec<Unfinished>) -> std::io::Result<()> {
        match self {
            Self::Stream(_) => Ok(()),
            Self::Beside {
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
                // Cut last: an output no longer than the old one needs no room on the disk.
                let length = std::io::copy(&mut whole, &mut target)?;
                target.set_len(length)
            }
        }
    }
}

/// Writes a [`WholeFile`] by a function, and finishes it where the function does not fail.
///
/// # Errors
/// The file cannot be written, or what the function says; the file is named in both.
pub fn write<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let mut file = WholeFile::create(path)?;
    let written = write(&mut file).in_file(called(path))?;
    file.finish()?;
    Ok(written)
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

/// A file in the list of those that are being written, as long as this lives.
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

/// Removes the files that are being written: for a process that an interrupt ends at once, without dropping them.
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
