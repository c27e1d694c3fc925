//! Where output goes: the file that a path leads to, or a stream.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Whether a path is `-`, which means standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of an output path in messages.
pub fn called(path: &Path) -> &Path {
    if is_standard_output(path) {
        Path::new("standard output")
    } else {
        path
    }
}

/// Standard output for rows alone. The process ends when the reader closes it, as `| head` does.
pub fn standard_output() -> impl Write + Send {
    MayClose {
        stream: std::io::stdout(),
        ends_process: true,
    }
}

/// Standard output for a result beside other work. Output after the reader has closed it is dropped.
pub fn standard_output_until_closed() -> impl Write + Send {
    may_close(std::io::stdout())
}

fn may_close<W: Write>(stream: W) -> MayClose<W> {
    MayClose {
        stream,
        ends_process: false,
    }
}

/// What a path leads to.
pub(crate) enum Destination {
    /// A regular file or a name that is free, never a link.
    File(PathBuf),
    /// A device, a pipe or a descriptor. It is written to and never replaced.
    Stream(Box<dyn Write + Send>),
}

/// Links in a row that are followed, as many as on Linux.
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
                2 => Box::new(may_close(std::io::stderr())),
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

/// Checks an output path before there is anything to write: a folder is not a file, and a new file needs a folder.
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

/// Whether two paths lead to the same regular file, by any names and links. Other files are not opened, because a pipe can be read
/// only once.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let is_file = |path: &Path| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    is_file(a) && is_file(b) && same_file::is_same_file(a, b).unwrap_or(false)
}

/// Whether a path leads into a folder or its subfolders, by any names and links.
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

/// Follows the links of a path to its end, which need not exist. A descriptor is an end, because the file that it is open on must not
/// be replaced.
fn target(path: &Path) -> Result<PathBuf, Failure> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if descriptor(&path).is_some() {
            return Ok(path);
        }
        match std::fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            // Not a link, or nothing at all.
            Err(_) => return Ok(path),
        }
    }
    Err(Failure::cannot_be_written("too many links"))
}

/// The number of a descriptor, of a path as `/dev/fd/3` or `/proc/self/fd/3`.
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

/// A standard stream whose reader may close it early, as `| head` does: that is no error.
struct MayClose<W> {
    stream: W,
    /// End the process when the stream is closed, because nothing is left to do.
    ends_process: bool,
}

impl<W> MayClose<W> {
    fn unless_closed<T>(&self, written: std::io::Result<T>, all: T) -> std::io::Result<T> {
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                if self.ends_process {
                    std::process::exit(0);
                }
                Ok(all)
            }
            written => written,
        }
    }
}

impl<W: Write> Write for MayClose<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.stream.write(bytes);
        self.unless_closed(written, bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let flushed = self.stream.flush();
        self.unless_closed(flushed, ())
    }
}
