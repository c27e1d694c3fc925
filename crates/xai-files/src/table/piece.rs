//! Rows of a table.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ndarray::ArrayView2;

use crate::failure::{Failure, short};
use crate::table::chunk::{Rows, TextColumn};
use crate::table::header::Header;
use crate::table::tally::{NonNumberCell, Tally};

/// Rows that were read together, in the columns that were asked for.
#[derive(Debug, Clone)]
pub struct Piece {
    pub(super) place: Arc<Place>,
    /// Columns of the file that are numbers here.
    pub(super) numbers: Arc<[usize]>,
    /// Columns of the file that are text here.
    pub(super) texts: Arc<[usize]>,
    pub(super) rows: Rows,
    /// Rows of the file before these.
    pub(super) first_row: usize,
    /// Bytes of the file up to the end of these.
    pub(super) end_byte: u64,
}

impl Piece {
    /// The table that these rows are of.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.n_rows
    }

    /// Rows of the file before these.
    pub fn first_row(&self) -> usize {
        self.first_row
    }

    /// Bytes of the file up to the end of these rows.
    pub fn end_byte(&self) -> u64 {
        self.end_byte
    }

    /// The numbers `(n_rows, n_columns)` in the order of the columns that were asked for; NaN where a
    /// cell is missing.
    pub fn numbers(&self) -> ArrayView2<'_, f64> {
        let shape = (self.n_rows(), self.numbers.len());
        ArrayView2::from_shape(shape, &self.rows.numbers)
            .unwrap_or_else(|_| ArrayView2::from_shape((0, 0), &[]).expect("no values"))
    }

    /// The numbers, row after row, and what the cells of each of their columns were.
    pub fn into_numbers(self) -> (Vec<f64>, Vec<Tally>) {
        (self.rows.numbers, self.rows.tallies)
    }

    /// A column of the file that was asked for as text.
    pub fn text(&self, column: usize) -> Result<&TextColumn, Failure> {
        let slot = self.texts.iter().position(|&text| text == column);
        let slot = slot.ok_or_else(|| Failure::new("a column that was not asked for"))?;
        Ok(&self.rows.texts[slot])
    }

    /// The first cell of numbers that is not a finite number, missing ones apart, by row; with the
    /// column of the file.
    pub fn first_wrong(&self) -> Option<(usize, &NonNumberCell)> {
        self.first_of(Tally::first_wrong)
    }

    /// The first missing cell of numbers, by row; with the column of the file.
    pub fn first_missing(&self) -> Option<(usize, &NonNumberCell)> {
        self.first_of(Tally::first_missing)
    }

    fn first_of<'a>(
        &'a self,
        cell: impl Fn(&'a Tally) -> Option<&'a NonNumberCell>,
    ) -> Option<(usize, &'a NonNumberCell)> {
        let tallies = self.numbers.iter().copied().zip(&self.rows.tallies);
        let cells = tallies.filter_map(|(column, tally)| Some((column, cell(tally)?)));
        cells.min_by_key(|(_, cell)| cell.row)
    }

    /// A cell that is not what it should be; the row is one of these.
    pub fn cell(&self, row: usize, column: usize, text: &str, expected: &str) -> Failure {
        self.place
            .cell(self.first_row + row, column, text, expected)
    }

    /// Adds the rows below.
    pub fn append(&mut self, below: Self) {
        self.end_byte = below.end_byte;
        self.rows.append(below.rows);
    }
}

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
            false => format!("\"{}\": ", short(text)),
        };
        let name = short(name);
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
