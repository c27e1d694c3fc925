//! Formats of other programs, by how their files begin.

use crate::failure::Failure;

/// How a file begins, what it is, and what reads it in Python; or, of compressed files, what to do.
const FORMATS: [(&[u8], &str, &str); 19] = [
    (
        b"\x93NUMPY",
        "an .npy array",
        "pandas.DataFrame(numpy.load(FILE))",
    ),
    (b"PAR1", "a Parquet file", "pandas.read_parquet(FILE)"),
    (
        b"ARROW1",
        "a Feather or Arrow file",
        "pandas.read_feather(FILE)",
    ),
    (b"FEA1", "a Feather file", "pandas.read_feather(FILE)"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "h5py.File(FILE)"),
    (b"MATLAB 7", "a MATLAB file", "h5py.File(FILE)"),
    (b"MATLAB", "a MATLAB file", "scipy.io.loadmat(FILE)"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a spreadsheet",
        "pandas.read_excel(FILE)",
    ),
    (b"PK", "an archive", ""),
    // A pickle begins with the version of its protocol; PyTorch wrote tensors so before it wrote archives.
    (
        b"\x80\x02\x8a\x0al\xfc\x9cF\xf9",
        "a PyTorch file",
        "torch.load(FILE)",
    ),
    (b"\x80\x02", "a pickle", "pandas.read_pickle(FILE)"),
    (b"\x80\x03", "a pickle", "pandas.read_pickle(FILE)"),
    (b"\x80\x04", "a pickle", "pandas.read_pickle(FILE)"),
    (b"\x80\x05", "a pickle", "pandas.read_pickle(FILE)"),
    (b"\x1f\x8b", "compressed", "unpack it first (gunzip)"),
    (b"BZh", "compressed", "unpack it first (bunzip2)"),
    (b"\xfd7zXZ", "compressed", "unpack it first (unxz)"),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed",
        "unpack it first (unzstd)",
    ),
    (b"%PDF", "a PDF document", "save its numbers as CSV"),
];

/// Archives by what is in them.
const ARCHIVES: [(&[u8], &str, &str); 4] = [
    (
        b"[Content_Types].xml",
        "a spreadsheet",
        "pandas.read_excel(FILE)",
    ),
    (b"data.pkl", "a PyTorch file", "torch.load(FILE)"),
    (
        b"mimetypeapplication/vnd.oasis",
        "a spreadsheet",
        "pandas.read_excel(FILE)",
    ),
    (b".npy", "an .npz archive of arrays", "numpy.load(FILE)"),
];

/// What to say of a file that begins as one of another program does, where `expected` was meant, which is made by
/// `saved`.
pub(crate) fn foreign(bytes: &[u8], expected: &str, saved: &str) -> Option<Failure> {
    let (magic, what, how) = FORMATS
        .iter()
        .find(|(magic, ..)| bytes.starts_with(magic))?;
    let begin = &bytes[..bytes.len().min(200)];
    let is_in = |part: &[u8]| begin.windows(part.len()).any(|window| window == part);
    let archive = ARCHIVES
        .iter()
        .find(|(part, ..)| *magic == b"PK" && is_in(part));
    let (what, how) = archive.map_or((*what, *how), |&(_, what, how)| (what, how));
    let failure = Failure::new(format!("{what}, not {expected}"));
    Some(
        match (how.ends_with("(FILE)") || how.ends_with("(FILE))"), how) {
            (true, _) => failure.help(format!("read it in Python, {how}, and {saved}")),
            (false, "") => failure.help(format!("unpack it, and {saved}")),
            (false, how) => failure.help(how),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_program_is_named_with_what_reads_it() {
        for (bytes, what, how) in [
            (
                &b"PK\x03\x04..........................archive/data.pkl"[..],
                "PyTorch",
                "torch.load",
            ),
            (
                b"PK\x03\x04..........................[Content_Types].xml",
                "spreadsheet",
                "read_excel",
            ),
            (
                b"PK\x03\x04..........................notes.txt",
                "archive",
                "unpack",
            ),
            (b"MATLAB 5.0 MAT-file, Platform: posix", "MATLAB", "loadmat"),
            (b"MATLAB 7.3 MAT-file, Platform: posix", "MATLAB", "h5py"),
            (b"ARROW1\0\0", "Feather", "read_feather"),
            (b"BZh91AY&SY", "compressed", "bunzip2"),
            (b"\xfd7zXZ\0", "compressed", "unxz"),
            (b"\x80\x04\x95", "pickle", "read_pickle"),
        ] {
            let said = foreign(bytes, "a table", "save it").unwrap().to_string();
            assert!(said.contains(what) && said.contains(how), "{said}");
        }
        assert!(foreign(b"a,b,y\n1,2,0\n", "a table", "save it").is_none());
    }
}
