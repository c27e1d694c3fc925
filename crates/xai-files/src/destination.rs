//! Where an output goes: which file a path leads to, or what else is there.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// What `--out -` stands for.
pub fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What a path for `--out` is called.
pub fn called(path: &Path) -> &Path {
    match is_standard_output(path) {
        true => Path::new("standard output"),
        false => path,
    }
}

/// Standard output for rows alone: where its reader has seen enough (`| head`), the process ends.
pub fn standard_output() -> impl Write + Send {
    EndsWhenClosed(std::io::stdout())
}

/// Standard output for a result among other work: what a reader who has seen enough (`| head`) does not take is lost.
pub fn standard_output_until_closed() -> impl Write + Send {
    UntilClosed(std::io::stdout())
}

/// What stands at the end of a path.
pub(crate) enum Destination {
    /// A regular file, or the name of a file to make; no link.
    File(PathBuf),
    /// A device, a pipe or a descriptor, which is written to and never replaced.
    Stream(Box<dyn Write + Send>),
}

/// Links behind each other, as many as Linux follows.
const MOST_LINKS: usize = 40;

impl Destination {
    /// Follows the links of a path, and opens what is not a regular file.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if is_standard_output(path) {
            return Ok(Self::Stream(Box::new(standard_output())));
        }
        let target = target(path)?;
        if let Some(number) = descriptor(&target) {
            return Ok(Self::Stream(match number {
                1 => Box::new(standard_output_until_closed()),
                2 => Box::new(UntilClosed(std::io::stderr())),
                // Appended: what the descriptor's owner wrote stays.
                _ => Box::new(opened(OpenOptions::new().append(true), &target)?),
            }));
        }
        match std::fs::metadata(&target) {
            Ok(found) if found.is_dir() => {
                Err(Failure::new("a folder: expected the name of a file"))
            }
            Ok(found) if !found.is_file() => {
                let stream = opened(OpenOptions::new().write(true), &target)?;
                Ok(Self::Stream(Box::new(stream)))
            }
            Ok(_) => Ok(Self::File(target)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::File(target)),
            Err(error) => Err(Failure::cannot_be_written(error)),
        }
    }
}

/// Whether a path leads to a regular file, or to the name of one.
pub fn is_file(path: &Path) -> Result<bool, Failure> {
    if is_standard_output(path) {
        return Ok(false);
    }
    let target = target(path)?;
    let other = std::fs::metadata(&target).is_ok_and(|found| !found.is_file());
    Ok(!other && descriptor(&target).is_none())
}

/// Holds a path against what can be seen of it before there is anything to write: a folder is no
/// file, and a new file needs a folder.
pub fn check(path: &Path) -> Result<(), Failure> {
    if is_standard_output(path) {
        return Ok(());
    }
    let target = target(path)?;
    if target.is_dir() {
        return Err(Failure::new("a folder: expected the name of a file"));
    }
    match std::fs::metadata(folder(&target)) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Failure::cannot_be_written("its folder is a file")),
        Err(error) => Err(Failure::cannot_be_written(error)),
    }
}

/// Whether two paths lead to one regular file, by whatever names and links. Others are not opened: a pipe can be read only
/// once.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let is_file = |path: &Path| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    is_file(a) && is_file(b) && same_file::is_same_file(a, b).unwrap_or(false)
}

/// Whether a path leads into a folder, or into one inside it, by whatever names and links.
pub fn is_inside(path: &Path, of: &Path) -> bool {
    let Ok(target) = target(path) else {
        return false;
    };
    match (folder(&target).canonicalize(), of.canonicalize()) {
        (Ok(folder), Ok(of)) => folder.starts_with(of),
        _ => false,
    }
}

/// The folder of a file.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The end of the links of a path, which need not exist. A descriptor is an end: what it is open on
/// is replaced by nobody.
fn target(path: &Path) -> Result<PathBuf, Failure> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if descriptor(&path).is_some() {
            return Ok(path);
        }
        match std::fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            // No link, or nothing at all.
            Err(_) => return Ok(path),
        }
    }
    Err(Failure::cannot_be_written("too many links"))
}

/// The number of a descriptor: `/dev/fd/N`, `/proc/self/fd/N`.
fn descriptor(path: &Path) -> Option<u32> {
    let folder = path.parent()?;
    let of_process = folder.starts_with("/dev") || folder.starts_with("/proc");
    let name = path
        .file_name()
        .filter(|_| of_process && folder.ends_with("fd"));
    name?.to_str()?.parse().ok()
}

fn opened(options: &OpenOptions, path: &Path) -> Result<File, Failure> {
    options.open(path).map_err(Failure::cannot_be_written)
}

/// A standard stream; a reader who has seen enough (`| head`) is no error.
struct UntilClosed<W>(W);

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        unless_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        unless_closed(self.0.flush(), ())
    }
}

/// Standard output that rows alone are written to. When its reader has seen enough, nothing is left to
/// do: a command that would go on for an hour ends.
struct EndsWhenClosed<W>(W);

impl<W> EndsWhenClosed<W> {
    fn unless_closed<T>(written: std::io::Result<T>) -> std::io::Result<T> {
        match &written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            _ => written,
        }
    }
}

impl<W: Write> Write for EndsWhenClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Self::unless_closed(self.0.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Self::unless_closed(self.0.flush())
    }
}

fn unless_closed<T>(written: std::io::Result<T>, all: T) -> std::io::Result<T> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(all),
        written => written,
    }
}
