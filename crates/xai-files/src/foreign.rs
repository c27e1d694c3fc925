//! Recognition of files of other programs by their first bytes.

use crate::failure::Failure;

/// First bytes of a file, its format, and either the Python function that reads it or advice.
#[rustfmt::skip]
const FORMATS: [(&[u8], &str, &str); 20] = [
    (b"\x93NUMPY", "an .npy array", "pandas.DataFrame(numpy.load(FILE))"),
    (b"PAR1", "a Parquet file", "pandas.read_parquet(FILE)"),
    (b"ARROW1", "a Feather or Arrow file", "pandas.read_feather(FILE)"),
    (b"FEA1", "a Feather file", "pandas.read_feather(FILE)"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "h5py.File(FILE)"),
    (b"MATLAB 7", "a MATLAB file", "h5py.File(FILE)"),
    (b"MATLAB", "a MATLAB file", "scipy.io.loadmat(FILE)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a spreadsheet", "pandas.read_excel(FILE)"),
    (b"PK\x03\x04", ARCHIVE, "with what wrote it: pandas.read_excel, torch.load, numpy.load"),
    (b"PK\x05\x06", ARCHIVE, "with what wrote it: pandas.read_excel, torch.load, numpy.load"),
    // A pickle begins with the version of its protocol. Old versions of PyTorch wrote tensors as pickles.
    (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9", "a PyTorch file", "torch.load(FILE)"),
    (b"\x80\x02", "a pickle", "pandas.read_pickle(FILE)"),
    (b"\x80\x03", "a pickle", "pandas.read_pickle(FILE)"),
    (b"\x80\x04", "a pickle", "pandas.read_pickle(FILE)"),
    (b"\x80\x05", "a pickle", "pandas.read_pickle(FILE)"),
    (b"\x1f\x8b", "compressed", "unpack it first (gunzip)"),
    (b"BZh", "compressed", "unpack it first (bunzip2)"),
    (b"\xfd7zXZ", "compressed", "unpack it first (unxz)"),
    (b"\x28\xb5\x2f\xfd", "compressed", "unpack it first (unzstd)"),
    (b"%PDF", "a PDF document", "save its numbers as CSV"),
];

const ARCHIVE: &str = "an archive (a spreadsheet, a PyTorch file, arrays in .npz)";

/// Returns an error if a file has the format of another program. `expected` is the expected format, and `save` says
/// how to write it.
pub(crate) fn foreign(bytes: &[u8], expected: &str, save: &str) -> Option<Failure> {
    let mut formats = FORMATS.iter();
    let (_, format, advice) = formats.find(|(start, ..)| bytes.starts_with(start))?;
    let failure = Failure::new(format!("{format}, not {expected}"));
    // Names of Python functions have a dot.
    Some(if advice.contains('.') {
        failure.help(format!("read it in Python, {advice}, and {save}"))
    } else {
        failure.help(advice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_files_are_named_with_a_program_that_reads_them() {
        for (bytes, what, how) in [
            (
                &b"MATLAB 5.0 MAT-file, Platform: posix"[..],
                "MATLAB",
                "loadmat",
            ),
            (b"MATLAB 7.3 MAT-file, Platform: posix", "MATLAB", "h5py"),
            (b"ARROW1\0\0", "Feather", "read_feather"),
            (b"BZh91AY&SY", "compressed", "bunzip2"),
            (b"\xfd7zXZ\0", "compressed", "unxz"),
            (b"\x80\x04\x95", "pickle", "read_pickle"),
            (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9", "PyTorch", "torch.load"),
            (b"PK\x03\x04", "spreadsheet", "read_excel"),
        ] {
            let said = foreign(bytes, "a table", "save it").unwrap().to_string();
            assert!(said.contains(what) && said.contains(how), "{said}");
        }
        for table in [&b"a,b,y\n1,2,0\n"[..], b"PK,a,y\n1,2,0\n"] {
            assert!(foreign(table, "a table", "save it").is_none());
        }
    }
}
