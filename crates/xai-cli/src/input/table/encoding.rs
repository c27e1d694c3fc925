//! Text that is not what a table is written in.

use crate::failure::Failure;

/// What a spreadsheet calls the file that is read.
pub(super) const SAVE_AS_UTF8: &str =
    "save it as UTF-8 (in a spreadsheet: \"CSV UTF-8 (comma delimited)\")";

/// The length of a mark that says that UTF-8 follows.
pub(super) fn utf8_mark(bytes: &[u8]) -> usize {
    match bytes.starts_with(b"\xef\xbb\xbf") {
        true => 3,
        false => 0,
    }
}

/// Refuses what no bytes of a table begin with.
pub(super) fn check_start(bytes: &[u8]) -> Result<(), Failure> {
    let what = if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        "text in UTF-16, as spreadsheets write \"Unicode text\""
    } else if bytes.starts_with(b"PK\x03\x04") {
        return Err(Failure::new("a spreadsheet or an archive, not a CSV table")
            .help("save the sheet as CSV"));
    } else if bytes.starts_with(b"PAR1") {
        return Err(Failure::new("a Parquet file, not a CSV table")
            .help("write it with to_csv(…, index=False)"));
    } else if bytes.starts_with(b"\x1f\x8b") {
        return Err(Failure::new("compressed, not a CSV table").help("unpack it first (gunzip)"));
    } else if bytes.starts_with(b"\x93NUMPY") {
        return Err(Failure::new("an .npy array, not a CSV table")
            .help("write a table with a header row: pandas.DataFrame(array).to_csv(…)"));
    } else if bytes.iter().take(4096).any(|&byte| byte == 0) {
        "binary data or text in UTF-16"
    } else {
        return Ok(());
    };
    Err(Failure::new(format!("{what}, not a CSV table in UTF-8")).help(SAVE_AS_UTF8))
}
