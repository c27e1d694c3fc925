//! The names of columns.

use std::collections::HashMap;

use super::encoding::SAVE_AS_UTF8;
use crate::failure::Failure;

/// The header of a table.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    names: Vec<String>,
    /// Of the columns with a name.
    positions: HashMap<String, usize>,
}

/// Names that a message lists.
const LISTED: usize = 20;

impl Header {
    /// From the cells of the first record.
    pub(super) fn new<'a>(cells: impl Iterator<Item = &'a [u8]>) -> Result<Self, Failure> {
        let mut names = Vec::new();
        for cell in cells {
            let name = std::str::from_utf8(cell).map_err(|_| {
                let name = String::from_utf8_lossy(cell);
                Failure::new(format!("column `{name}`: a name that is not UTF-8 text"))
                    .help(SAVE_AS_UTF8)
            })?;
            names.push(name.trim().to_owned());
        }
        let mut positions = HashMap::with_capacity(names.len());
        for (column, name) in names.iter().enumerate() {
            if !is_no_name(name) && positions.insert(name.clone(), column).is_some() {
                return Err(Failure::new(format!("column `{name}` occurs twice"))
                    .help("rename one of the two"));
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
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of columns.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a column, or what stands for it.
    pub(crate) fn name(&self, column: usize) -> &str {
        match self.names[column].as_str() {
            "" => "(no name)",
            name => name,
        }
    }

    /// Whether a column has no name: the index that pandas writes unless told otherwise, as it is
    /// written, and as it is called once it was read and written again.
    pub(crate) fn is_unnamed(&self, column: usize) -> bool {
        is_no_name(&self.names[column])
    }

    /// Where a column of that name is, if there is one.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let named = self.positions.get(name).copied();
        named.or_else(|| match name {
            "" => None,
            _ => self.names.iter().position(|other| other == name),
        })
    }

    /// Where a column of that name is.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Failure> {
        self.position(name).ok_or_else(|| {
            let listed = self.names.iter().take(LISTED).map(String::as_str);
            let mut listed = listed.collect::<Vec<_>>().join(", ");
            if self.names.len() > LISTED {
                listed += &format!(" and {} more", self.names.len() - LISTED);
            }
            Failure::new(format!("no column `{name}`")).help(format!("the columns are {listed}"))
        })
    }
}

fn is_no_name(name: &str) -> bool {
    let number = name.strip_prefix("Unnamed: ");
    name.is_empty() || number.is_some_and(|n| n.parse::<usize>().is_ok())
}

/// What separates the cells of a header: a comma, unless there are more semicolons or tabs outside
/// quotes.
pub(super) fn separator(header: &[u8]) -> u8 {
    let mut counts = [0_usize; 3];
    const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
    let mut in_quotes = false;
    for byte in header {
        if *byte == b'"' {
            in_quotes = !in_quotes;
        } else if !in_quotes && let Some(i) = SEPARATORS.iter().position(|s| s == byte) {
            counts[i] += 1;
        }
    }
    let most = (0..3).rev().max_by_key(|&i| counts[i]).unwrap_or(0);
    SEPARATORS[most]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_what_there_is_most_of() {
        for (header, expected) in [
            ("a", b','),
            ("a,b;c", b','),
            ("a;b;c,d", b';'),
            ("a\tb", b'\t'),
            ("\"a;b;c\",d", b','),
        ] {
            assert_eq!(separator(header.as_bytes()), expected, "{header}");
        }
    }

    #[test]
    fn columns_without_a_name_may_occur_twice_and_others_not() {
        let header = |names: &[&str]| Header::new(names.iter().map(|name| name.as_bytes()));
        let unnamed = header(&["", "a", "Unnamed: 0", ""]).unwrap();
        let is_unnamed: Vec<bool> = (0..4).map(|i| unnamed.is_unnamed(i)).collect();
        assert_eq!(is_unnamed, [true, false, true, true]);
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
