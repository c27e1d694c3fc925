//! What messages say of a cell.

use std::path::{Path, PathBuf};

use super::header::Header;
use crate::failure::Failure;

/// A table in messages: its file, its columns, and those whose text is not shown.
#[derive(Debug, Clone)]
pub struct Place {
    pub(super) file: PathBuf,
    pub(super) header: Header,
    pub(super) concealed: Vec<String>,
}

impl Place {
    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The columns.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// A cell that is not what it should be. Rows are counted from 1 below the header, as a person
    /// counts them; `row` is counted from 0.
    pub fn cell(&self, row: usize, column: usize, text: &str, expected: &str) -> Failure {
        let name = self.header.name(column);
        let text = match self.concealed.iter().any(|concealed| concealed == name) {
            true => String::new(),
            false => format!("\"{text}\": "),
        };
        self.row(row, &format!("column `{name}`: {text}expected {expected}"))
    }

    /// A row that is not what it should be.
    pub fn row(&self, row: usize, what: &str) -> Failure {
        Failure::new(format!("row {}, {what}", row + 1)).in_file(&self.file)
    }

    /// Where a column of that name is.
    pub fn column(&self, name: &str) -> Result<usize, Failure> {
        let found = self.header.column(name);
        found.map_err(|failure| failure.in_file(&self.file))
    }
}
