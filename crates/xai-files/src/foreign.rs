//! Formats of other programs, by how their files begin.

use crate::failure::Failure;

/// What a file is, and what reads it.
type Format = (&'static str, &'static str);

const SPREADSHEET: Format = ("a spreadsheet", "pandas.read_excel(FILE)");
const FEATHER: Format = ("a Feather or Arrow file", "pandas.read_feather(FILE)");
const PICKLE: Format = ("a pickle", "pandas.read_pickle(FILE)");
const PYTORCH: Format = ("a PyTorch file", "torch.load(FILE)");
const ARCHIVE: Format = ("an archive", "");

/// How a file begins, what it is, and what reads it in Python; or, of compressed files, what to do.
#[rustfmt::skip]
const FORMATS: [(&[u8], Format); 20] = [
    (b"\x93NUMPY", ("an .npy array", "pandas.DataFrame(numpy.load(FILE))")),
    (b"PAR1", ("a Parquet file", "pandas.read_parquet(FILE)")),
    (b"ARROW1", FEATHER),
    (b"FEA1", FEATHER),
    (b"\x89HDF\r\n\x1a\n", ("an HDF5 file", "h5py.File(FILE)")),
    (b"MATLAB 7", ("a MATLAB file", "h5py.File(FILE)")),
    (b"MATLAB", ("a MATLAB file", "scipy.io.loadmat(FILE)")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", SPREADSHEET),
    (ENTRY, ARCHIVE),
    (b"PK\x05\x06", ARCHIVE),
    // A pickle begins with the version of its protocol; PyTorch wrote tensors so before it wrote archives.
    (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9", PYTORCH),
    (b"\x80\x02", PICKLE),
    (b"\x80\x03", PICKLE),
    (b"\x80\x04", PICKLE),
    (b"\x80\x05", PICKLE),
    (b"\x1f\x8b", ("compressed", "unpack it first (gunzip)")),
    (b"BZh", ("compressed", "unpack it first (bunzip2)")),
    (b"\xfd7zXZ", ("compressed", "unpack it first (unxz)")),
    (b"\x28\xb5\x2f\xfd", ("compressed", "unpack it first (unzstd)")),
    (b"%PDF", ("a PDF document", "save its numbers as CSV")),
];

/// Archives by how the name of an entry begins or ends, which differ in their order by the program that wrote them.
const ARCHIVES: [(&[u8], &[u8], Format); 6] = [
    (b"xl/", b"", SPREADSHEET),
    (b"docProps/", b"", SPREADSHEET),
    (b"[Content_Types].xml", b"", SPREADSHEET),
    // The text of this entry follows its name.
    (b"mimetypeapplication/vnd.oasis", b"", SPREADSHEET),
    (b"", b"data.pkl", PYTORCH),
    (
        b"",
        b".npy",
        ("an .npz archive of arrays", "numpy.load(FILE)"),
    ),
];

/// How an entry of an archive begins: the length of its name is at its byte 26, the name at 30.
const ENTRY: &[u8] = b"PK\x03\x04";

/// The entries of an archive as far as its bytes are here: what begins with the name, and the name.
fn entries(bytes: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    memchr::memmem::find_iter(bytes, ENTRY).filter_map(|at| {
        let &[low, high] = bytes.get(at + 26..at + 28)? else {
            return None;
        };
        let named = bytes.get(at + 30..)?;
        let length = usize::from(u16::from_le_bytes([low, high]));
        Some((named, &named[..length.min(named.len())]))
    })
}

/// What to say of a file that begins as one of another program does, where `expected` was meant, which is made by
/// `saved`.
pub(crate) fn foreign(bytes: &[u8], expected: &str, saved: &str) -> Option<Failure> {
    let (magic, format) = FORMATS.iter().find(|(magic, _)| bytes.starts_with(magic))?;
    let archive = ARCHIVES.iter().find(|(begin, end, ..)| {
        let is_one =
            |(named, name): (&[u8], &[u8])| named.starts_with(begin) && name.ends_with(end);
        *magic == ENTRY && entries(bytes).any(is_one)
    });
    let (what, how) = archive.map_or(*format, |(.., format)| *format);
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
    use std::io::{Cursor, Write};

    use zip::write::SimpleFileOptions;
    use zip::{CompressionMethod, ZipWriter};

    use super::*;

    #[test]
    fn a_file_of_another_program_is_named_with_what_reads_it() {
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
        ] {
            let said = foreign(bytes, "a table", "save it").unwrap().to_string();
            assert!(said.contains(what) && said.contains(how), "{said}");
        }
        for table in [&b"a,b,y\n1,2,0\n"[..], b"PK,a,y\n1,2,0\n"] {
            assert!(foreign(table, "a table", "save it").is_none());
        }
    }

    /// An archive of files, in their order.
    fn archive(files: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for &(name, text) in files {
            let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            archive.start_file(name, stored).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn archives_are_named_by_their_entries_in_any_order() {
        let (long, ods) = (
            "x".repeat(5000),
            "application/vnd.oasis.opendocument.spreadsheet",
        );
        let sheet = ("spreadsheet", "read_excel");
        for (files, (what, how)) in [
            // As openpyxl writes a table of pandas.
            (
                &[
                    ("docProps/app.xml", ""),
                    ("docProps/core.xml", ""),
                    ("xl/theme/theme1.xml", long.as_str()),
                    ("xl/worksheets/sheet1.xml", ""),
                    ("xl/styles.xml", ""),
                    ("_rels/.rels", ""),
                    ("xl/workbook.xml", ""),
                    ("xl/_rels/workbook.xml.rels", ""),
                    ("[Content_Types].xml", ""),
                ][..],
                sheet,
            ),
            // As xlsxwriter and spreadsheets do.
            (
                &[("[Content_Types].xml", ""), ("xl/workbook.xml", "")],
                sheet,
            ),
            (&[("_rels/.rels", &long), ("xl/workbook.xml", "")], sheet),
            (&[("mimetype", ods), ("content.xml", "")], sheet),
            (
                &[("mimetype", "application/epub+zip"), ("a.xml", "")],
                ("archive", "unpack"),
            ),
            (&[("model/data.pkl", "")], ("PyTorch", "torch.load")),
            (
                &[("notes.txt", "docProps/, xl/ and .npy"), ("xl.csv", "")],
                ("archive", "unpack"),
            ),
            (&[("notes.txt", ""), ("a.npy", "")], (".npz", "numpy.load")),
        ] {
            let bytes = archive(files);
            let said = foreign(&bytes, "a table", "save it").unwrap().to_string();
            assert!(said.contains(what) && said.contains(how), "{said}");
            assert!(foreign(&bytes[..31], "a table", "save it").is_some());
        }
    }
}
