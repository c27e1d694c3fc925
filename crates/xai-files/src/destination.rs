//! Destinations of output: the file that a path leads to, or a stream.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Returns whether a path is `-`, which means standard output.
pub fn is_standard_output(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of an output path in messages.
pub fn display_name(path: &Path) -> &Path {
    if is_standard_output(path) {
        Path::new("standard output")
    } else {
        path
    }
}

/// Returns standard output for a command that writes nothing else. The process ends when the reader closes the
/// stream, as `| head` does.
pub fn standard_output() -> impl Write + Send {
    ClosableStream {
        stream: std::io::stdout(),
        ends_process: true,
    }
}

/// Returns standard output for a command that also does other work. Output is dropped once the reader has closed
/// the stream.
pub fn standard_output_until_closed() -> impl Write + Send {
    closable(std::io::stdout())
}

fn closable<W: Write>(stream: W) -> ClosableStream<W> {
    ClosableStream {
        stream,
        ends_process: false,
    }
}

/// The destination of an output path.
pub(crate) enum Destination {
    /// A regular file or a name that is free, never a link.
    File(PathBuf),
    /// A device, a pipe or a descriptor. It is written to and never replaced.
    Stream(Box<dyn Write + Send>),
}

/// Largest number of links that are followed in a row, as on Linux.
const MAX_LINKS: usize = 40;

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
                2 => Box::new(closable(std::io::stderr())),
                // Appending keeps the earlier output of the process that opened the descriptor.
                _ => Box::new(open_with(OpenOptions::new().append(true), &target)?),
            }));
        }
        match std::fs::metadata(&target) {
            Ok(found) if found.is_dir() => {
                Err(Failure::new("a folder: expected the name of a file"))
            }
            Ok(found) if !found.is_file() => {
                let stream = open_with(OpenOptions::new().write(true), &target)?;
                Ok(Self::Stream(Box::new(stream)))
            }
            Ok(_) => Ok(Self::File(target)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::File(target)),
            Err(error) => Err(Failure::cannot_be_written(error)),
        }
    }
}

/// Returns whether a path leads to a regular file, or to a free name.
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

/// Returns whether two paths lead to the same regular file, by any names and links. Other files are not opened,
/// because a pipe can be read only once.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let is_file = |path: &Path| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    is_file(a) && is_file(b) && same_file::is_same_file(a, b).unwrap_or(false)
}

/// Returns whether a path leads into a folder or its subfolders, by any names and links.
pub fn is_inside(path: &Path, outer: &Path) -> bool {
    let Ok(target) = target(path) else {
        return false;
    };
    match (folder(&target).canonicalize(), outer.canonicalize()) {
        (Ok(folder), Ok(outer)) => folder.starts_with(outer),
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

/// Follows the links of a path to their end, which need not exist. The links of a descriptor are not followed, because
/// its file must not be replaced.
fn target(path: &Path) -> Result<PathBuf, Failure> {
    let mut current = path.to_owned();
    for _ in 0..MAX_LINKS {
        if descriptor(&current).is_some() {
            return Ok(current);
        }
        match std::fs::read_link(&current) {
            Ok(next) => current = folder(&current).join(next),
            // Not a link, or it does not exist.
            Err(_) => return Ok(current),
        }
    }
    Err(Failure::cannot_be_written("too many links"))
}

/// The number of the descriptor of a path such as `/dev/fd/3` or `/proc/self/fd/3`.
fn descriptor(path: &Path) -> Option<u32> {
    let folder = path.parent()?;
    let is_special = folder.starts_with("/dev") || folder.starts_with("/proc");
    let name = path
        .file_name()
        .filter(|_| is_special && folder.ends_with("fd"));
    name?.to_str()?.parse().ok()
}

fn open_with(options: &OpenOptions, path: &Path) -> Result<File, Failure> {
    options.open(path).map_err(Failure::cannot_be_written)
}

/// A standard stream whose reader may close it early, as `| head` does, without an error.
struct ClosableStream<W> {
    stream: W,
    /// Whether the process ends when the stream is closed, because nothing is left to do.
    ends_process: bool,
}

impl<W> ClosableStream<W> {
    /// Replaces the error of a closed stream by `all`, the result of complete output.
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

impl<W: Write> Write for ClosableStream<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.stream.write(bytes);
        self.unless_closed(written, bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let flushed = self.stream.flush();
        self.unless_closed(flushed, ())
    }
}
