//! Reading of arrays in `.npz` archives, with the crate `zip`.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use clap_lex::OsStrExt;
use zip::ZipArchive;
use zip::result::ZipError;

use super::npy::{self, Numbers};
use crate::failure::{Failure, InFile};
use crate::foreign::foreign;

/// A readable and seekable stream, as a trait object.
trait ReadSeek: Read + Seek {}

impl<S: Read + Seek> ReadSeek for S {}

/// Splits `file.npz:name` into the archive and the name of the entry.
pub fn split_entry(file: &Path) -> Option<(PathBuf, String)> {
    // Some programs write extensions in upper case.
    let (mut archive, extension, entry) =
        [".npz", ".NPZ", ".Npz"].iter().find_map(|extension| {
            let (archive, entry) = file.as_os_str().split_once(&format!("{extension}:"))?;
            Some((archive.to_owned(), extension, entry))
        })?;
    archive.push(extension);
    Some((archive.into(), entry.to_string_lossy().into_owned()))
}

/// Returns whether a file begins like an archive.
pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Reads the array with the given name from an archive, or its only array.
pub(super) fn read(archive: &Path, entry: Option<&str>) -> Result<Numbers, Failure> {
    let opened = File::open(archive)
        .map_err(Failure::cannot_be_opened)
        .in_file(archive)?;
    read_opened(archive, BufReader::new(opened), entry)
}

/// As [`read`], for an open file. A pipe is read into memory, because archives are read from their end.
pub(super) fn read_opened(
    name: &Path,
    mut opened: BufReader<File>,
    entry: Option<&str>,
) -> Result<Numbers, Failure> {
    let begin = opened
        .fill_buf()
        .map_err(Failure::cannot_be_read)
        .in_file(name)?
        .to_vec();
    let is_file = opened.get_ref().metadata().is_ok_and(|m| m.is_file());
    let source: Box<dyn ReadSeek> = if is_file {
        Box::new(opened)
    } else {
        let mut bytes = Vec::new();
        let read = opened.read_to_end(&mut bytes);
        read.map_err(Failure::cannot_be_read).in_file(name)?;
        Box::new(Cursor::new(bytes))
    };
    let mut archive = ZipArchive::new(source)
        .map_err(|error| Failure::new(format!("not an .npz archive: {error}")))
        .in_file(name)?;
    if !archive.file_names().any(|name| name.ends_with(".npy"))
        && let Some(failure) = foreign(&begin, "an .npz archive", "save the array with numpy.save")
    {
        return Err(failure.in_file(name));
    }
    let names = names(&archive);
    let entry = match (entry, names.as_slice()) {
        (Some(entry), _) => entry,
        (None, [only]) => only,
        (None, _) => {
            return Err(Failure::new("an archive of several arrays").help(format!(
                "name one of them: {}:NAME (holds {})",
                name.display(),
                names.join(", ")
            )));
        }
    };
    match archive.by_name(&format!("{entry}.npy")) {
        // No length: the size that the archive claims may be wrong.
        Ok(stored) => npy::read(stored, None),
        Err(ZipError::FileNotFound) => Err(Failure::new(format!(
            "no array `{entry}` in the archive, it holds {}",
            names.join(", ")
        ))),
        Err(error) => Err(Failure::new(format!("the array `{entry}`: {error}"))),
    }
}

/// Names of the arrays in an archive.
fn names(archive: &ZipArchive<Box<dyn ReadSeek>>) -> Vec<String> {
    let names = archive.file_names();
    names
        .map(|name| name.strip_suffix(".npy").unwrap_or(name).to_owned())
        .collect()
}
