//! Column names, and the bytes before them.

use std::collections::{HashMap, HashSet};

use crate::failure::{Failure, short};
use crate::foreign::foreign;
use crate::left_out::is_index;

/// The header of a table.
#[derive(Debug, Clone)]
pub struct Header {
    names: Vec<String>,
    /// Positions by name. Index columns are not included.
    positions: HashMap<String, usize>,
}

impl Header {
    /// Creates a header from the cells of the first record.
    pub(super) fn new<'a>(cells: impl Iterator<Item = &'a [u8]>) -> Result<Self, Failure> {
        let mut names = Vec::new();
        for cell in cells {
            let name = std::str::from_utf8(cell).map_err(|_| {
                let name = short(&String::from_utf8_lossy(cell));
                Failure::new(format!("column `{name}`: a name that is not UTF-8 text"))
                    .help(SAVE_AS_UTF8)
            })?;
            names.push(name.trim().to_owned());
        }
        if are_data(&names) {
            let what = "it seems to have no header row: its first row is of numbers alone";
            let help = "write one: pandas.DataFrame(array, columns=[…]).to_csv(FILE, index=False)";
            return Err(Failure::new(what).help(help));
        }
        let mut positions = HashMap::with_capacity(names.len());
        for (column, name) in names.iter().enumerate() {
            if !is_index(name) && positions.insert(name.clone(), column).is_some() {
                return Err(
                    Failure::new(format!("column `{}` occurs twice", short(name)))
                        .help("rename one of the two"),
                );
            }
        }
        if names.iter().all(String::is_empty) {
            return Err(Failure::new(
                "empty: expected a header row with column names",
            ));
        }
        Ok(Self { names, positions })
    }

    /// The names in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of columns.
    pub fn n_columns(&self) -> usize {
        self.names.len()
    }

    /// The name of a column, or a placeholder if its name is empty.
    pub fn name(&self, column: usize) -> &str {
        match self.names[column].as_str() {
            "" => "(no name)",
            name => name,
        }
    }

    /// Returns whether a column is the [index](is_index) of a pandas data frame.
    pub fn is_index(&self, column: usize) -> bool {
        is_index(&self.names[column])
    }

    /// The position of the column with this name; `None` if there is none.
    pub fn position(&self, name: &str) -> Option<usize> {
        let position = self.positions.get(name).copied();
        // Index columns are not in the map, because several may have the same name.
        position.or_else(|| match name {
            "" => None,
            _ => self.names.iter().position(|other| other == name),
        })
    }

    /// The position of the column with this name.
    ///
    /// # Errors
    /// There is no such column.
    pub fn column(&self, name: &str) -> Result<usize, Failure> {
        self.position(name)
            .ok_or_else(|| Failure::no_column(name, &self.names))
    }
}

/// Returns whether the cells of the first row are data rather than names. Distinct whole numbers of at most six
/// digits are names: pandas numbers unnamed columns, and years are names too.
fn are_data(cells: &[String]) -> bool {
    let mut names = cells.iter().filter(|name| !is_index(name)).peekable();
    let is_number = |text: &str| text.replace(',', ".").parse::<f64>().is_ok();
    // Without a delimiter, numpy.savetxt writes spaces.
    let are_numbers = |cell: &String| cell.split_whitespace().all(is_number);
    if names.peek().is_none() || !names.clone().all(are_numbers) {
        return false;
    }
    let is_short_number =
        |name: &str| name.len() <= 6 && name.bytes().all(|byte| byte.is_ascii_digit());
    let mut earlier = HashSet::new();
    !names.all(|name| is_short_number(name) && earlier.insert(name))
}

/// Finds the separator of a header: a comma, unless there are more semicolons, tabs or bars outside quotes.
pub(super) fn separator(header: &[u8]) -> u8 {
    const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut in_quotes = false;
    for byte in header {
        if *byte == b'"' {
            in_quotes = !in_quotes;
        } else if !in_quotes && let Some(i) = SEPARATORS.iter().position(|s| s == byte) {
            counts[i] += 1;
        }
    }
    // Reversed, because `max_by_key` returns the last of equal elements: ties go to the first separator.
    let most = (0..SEPARATORS.len())
        .rev()
        .max_by_key(|&i| counts[i])
        .unwrap_or(0);
    SEPARATORS[most]
}

/// Advice on files in another encoding, in the words of spreadsheets.
pub(super) const SAVE_AS_UTF8: &str =
    "save it as UTF-8 (in a spreadsheet: \"CSV UTF-8 (comma delimited)\")";

/// The number of bytes before the header: a byte-order mark, and a line such as `sep=;`, which tells a spreadsheet the
/// separator.
pub(super) fn before_header(bytes: &[u8]) -> usize {
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    match bytes[mark..] {
        [b's', b'e', b'p', b'=', _, b'\r', b'\n', ..] => mark + 7,
        [b's', b'e', b'p', b'=', _, b'\r' | b'\n', ..] => mark + 6,
        _ => mark,
    }
}

/// The first line that is not empty, without its line break. Line breaks in quotes do not end it. `None` if no line
/// ends in `bytes`.
pub(super) fn first_line(bytes: &[u8]) -> Option<&[u8]> {
    let start = bytes.iter().position(|byte| !b"\r\n".contains(byte))?;
    let mut in_quotes = false;
    let length = bytes[start..].iter().position(|&byte| {
        in_quotes ^= byte == b'"';
        !in_quotes && b"\r\n".contains(&byte)
    })?;
    Some(&bytes[start..start + length])
}

/// Refuses files that do not begin like a table in UTF-8.
pub(super) fn check_start(bytes: &[u8]) -> Result<(), Failure> {
    if let Some(failure) = foreign(
        bytes,
        "a CSV table",
        "write it with .to_csv(…, index=False)",
    ) {
        return Err(failure);
    }
    let start = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start();
    let begins = |texts: &[&[u8]]| texts.iter().any(|text| start.starts_with(text));
    if begins(&[b"{\"", b"{\n", b"{\r", b"{ ", b"[{", b"[[", b"[\n", b"[\r"]) {
        return Err(Failure::new("JSON, not a CSV table").help(
            "read it in Python, pandas.read_json(FILE), and write it with .to_csv(…, index=False)",
        ));
    }
    if begins(&[b"<!", b"<?xml", b"<html"]) {
        return Err(
            Failure::new("a web page or XML, not a CSV table").help("download the table itself")
        );
    }
    let what = if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        "text in UTF-16, as spreadsheets write \"Unicode text\""
    } else if bytes.iter().take(4096).any(|&byte| byte == 0) {
        "binary data or text in UTF-16"
    } else {
        return Ok(());
    };
    Err(Failure::new(format!("{what}, not a CSV table in UTF-8")).help(SAVE_AS_UTF8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_the_most_frequent_candidate() {
        for (header, expected) in [
            ("a", b','),
            ("a,b;c", b','),
            ("a;b;c,d", b';'),
            ("a\tb", b'\t'),
            ("a|b|c,d", b'|'),
            ("\"a;b;c\",d", b','),
        ] {
            assert_eq!(separator(header.as_bytes()), expected, "{header}");
        }
    }

    #[test]
    fn marks_before_a_header_are_skipped() {
        for (text, expected) in [
            ("a,b", 0),
            ("\u{feff}a,b", 3),
            ("sep=;\r\na;b", 7),
            ("\u{feff}sep=;\na;b", 9),
            ("sep=;a;b", 0),
        ] {
            assert_eq!(before_header(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_named_with_the_way_out() {
        for (text, what) in [
            ("{\"a\": 1}", "JSON"),
            ("\u{feff}\n[{\"a\": 1}]", "JSON"),
            ("[\n 1]", "JSON"),
            ("<!DOCTYPE html>", "web page"),
            ("<?xml version='1.0'?>", "XML"),
        ] {
            let failure = check_start(text.as_bytes()).unwrap_err();
            assert!(failure.to_string().contains(what) && failure.help_text().is_some());
        }
        for table in [
            "[a],[b]\n1,2",
            "{a},b\n1,2",
            "<a>,b\n1,2",
            "a,b\n\"{\",\"[\"",
        ] {
            assert!(check_start(table.as_bytes()).is_ok(), "{table}");
        }
    }

    #[test]
    fn a_row_of_numbers_is_no_header_unless_it_counts() {
        let is_header = |cells: &[&str]| {
            let header = Header::new(cells.iter().map(|cell| cell.as_bytes()));
            header.map_err(|failure| {
                assert!(failure.to_string().contains("no header row"), "{failure}")
            })
        };
        for names in [
            &["0", "1", "2"][..],
            &["", "0", "1"],
            &["Unnamed: 0", "0", "1"],
            &["2021", "2022"],
            &["0"],
            &["0.5", "1.5", "y"],
            &["a", "1.5"],
        ] {
            assert!(is_header(names).is_ok(), "{names:?}");
        }
        for data in [
            &["1.000000000000000000e+00", "0.000000000000000000e+00"][..],
            &["1.0e+00 0.0e+00 1.0e+00"],
            &["0", "1", "1"],
            &["", "0", "0.5"],
            &["-1", "1"],
            &["0,5", "1,5"],
            &["nan", "12"],
            &["10000000", "12"],
        ] {
            assert!(is_header(data).is_err(), "{data:?}");
        }
    }

    #[test]
    fn columns_without_a_name_may_occur_twice_and_others_not() {
        let header = |names: &[&str]| Header::new(names.iter().map(|name| name.as_bytes()));
        let unnamed = header(&["", "a", "Unnamed: 0", "__index_level_0__", ""]).unwrap();
        let is_index: Vec<bool> = (0..5).map(|i| unnamed.is_index(i)).collect();
        assert_eq!(is_index, [true, false, true, true, true]);
        assert_eq!(unnamed.position("a"), Some(1));
        assert_eq!(unnamed.position("Unnamed: 0"), Some(2));
        assert_eq!(unnamed.position(""), None);
        assert!(header(&["a", "b", " a"]).is_err());
        assert!(header(&["", ""]).is_err());
        let many: Vec<String> = (0..50_000).map(|i| format!("c{i}")).collect();
        let many = Header::new(many.iter().map(|name| name.as_bytes())).unwrap();
        assert_eq!(many.column("c49999").unwrap(), 49_999);
    }
}
