//! Sizes and hashes of the input files of a report.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use xai_files::npz;
use xai_report::InputFile;

/// Number of bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// Returns the size and hash of a file. `name` is its path relative to the folder of the study; for `file.npz:name`
/// they are those of the archive. Pipes, devices and files that cannot be read have no hash and 0 bytes; the section
/// reports the error.
pub(super) fn input_file(folder: &Path, name: &str) -> InputFile {
    let full_path = folder.join(name);
    let path = npz::split_entry(&full_path).map_or(full_path, |(archive, _)| archive);
    // A pipe can be read only once, which is left to its section.
    let is_file = std::fs::metadata(&path).is_ok_and(|found| found.is_file());
    let hashed = is_file.then(|| hash(&path).ok()).flatten();
    let (bytes, sha256) = hashed.unzip();
    InputFile {
        path: name.to_owned(),
        bytes: bytes.unwrap_or_default(),
        sha256,
    }
}

/// Returns the size and the SHA-256 of a file.
fn hash(path: &Path) -> std::io::Result<(u64, String)> {
    let (mut file, mut hasher) = (File::open(path)?, Sha256::new());
    let (mut piece, mut bytes) = (vec![0; PIECE], 0);
    loop {
        match file.read(&mut piece)? {
            0 => break,
            n => {
                hasher.update(&piece[..n]);
                bytes += n as u64;
            }
        }
    }
    Ok((bytes, hex(&hasher.finalize())))
}

/// Like [`input_file`], for bytes in memory.
pub(super) fn input_of_bytes(name: &Path, bytes: &[u8]) -> InputFile {
    InputFile {
        path: name.display().to_string(),
        bytes: bytes.len() as u64,
        sha256: Some(hex(&Sha256::digest(bytes))),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        let empty = input_of_bytes(Path::new("a"), b"");
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(empty.sha256.as_deref(), Some(expected));
        let folder = tempfile::TempDir::new().unwrap();
        std::fs::write(folder.path().join("abc"), "abc").unwrap();
        let abc = input_file(folder.path(), "abc");
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((abc.bytes, abc.sha256.as_deref()), (3, Some(expected)));
        assert_eq!(input_file(folder.path(), "none").sha256, None);
    }
}
