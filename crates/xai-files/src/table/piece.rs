//! Rows of a table.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use csv::ByteRecord;
use ndarray::ArrayView2;

use crate::failure::{Failure, short};
use crate::table::cell::{self, Cell};
use crate::table::header::{Header, SAVE_AS_UTF8};
use crate::table::tally::{NonNumberCell, Tally};

/// Consecutive rows of the selected columns of a table.
#[derive(Debug, Clone)]
pub struct Piece {
    pub(super) selection: Arc<Selection>,
    pub(super) rows: Rows,
    pub(super) first_row: usize,
    pub(super) end_byte: u64,
}

impl Piece {
    /// The table that these rows belong to.
    pub fn context(&self) -> &TableContext {
        &self.selection.context
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.rows.n_rows
    }

    /// The number of rows of the table before these.
    pub fn first_row(&self) -> usize {
        self.first_row
    }

    /// Bytes of the file up to the end of these rows.
    pub fn end_byte(&self) -> u64 {
        self.end_byte
    }

    /// The numbers, `(n_rows, n_columns)`, in the order of [`Columns::numbers`](super::Columns::numbers). Missing
    /// cells and cells that are not numbers are NaN.
    pub fn numbers(&self) -> ArrayView2<'_, f64> {
        let shape = (self.n_rows(), self.selection.numbers.len());
        ArrayView2::from_shape(shape, &self.rows.numbers).expect("a number for each cell")
    }

    /// The numbers in row-major order, and a [`Tally`] for each of their columns.
    pub fn into_numbers(self) -> (Vec<f64>, Vec<Tally>) {
        (self.rows.numbers, self.rows.tallies)
    }

    /// A column of the file that is read as text.
    ///
    /// # Errors
    /// The column is not read as text.
    pub fn text(&self, column: usize) -> Result<&TextColumn, Failure> {
        let mut texts = self.selection.texts.iter();
        let slot = texts
            .position(|&text| text == column)
            .ok_or_else(|| Failure::new("a column that is not read as text"))?;
        Ok(&self.rows.texts[slot])
    }

    /// The first cell that is neither a finite number nor missing, with its column in the file.
    pub fn first_invalid(&self) -> Option<(usize, &NonNumberCell)> {
        self.first(Tally::first_invalid)
    }

    /// The first missing cell, with its column in the file.
    pub fn first_missing(&self) -> Option<(usize, &NonNumberCell)> {
        self.first(Tally::first_missing)
    }

    /// The first of the cells that `cell` selects from the tallies of all columns, with its column in the file.
    fn first<'a>(
        &'a self,
        cell: impl Fn(&'a Tally) -> Option<&'a NonNumberCell>,
    ) -> Option<(usize, &'a NonNumberCell)> {
        let columns = self.selection.numbers.iter().copied();
        let tallies = columns.zip(&self.rows.tallies);
        let cells = tallies.filter_map(|(column, tally)| Some((column, cell(tally)?)));
        cells.min_by_key(|(_, cell)| cell.row)
    }

    /// The line of the file of a row of this piece, counted from 1.
    pub fn line(&self, row: usize) -> u64 {
        self.rows.line(row)
    }

    /// Creates an error about a cell. `row` is a row of this piece, counted from 0.
    pub fn cell(&self, row: usize, column: usize, text: &str, expected: &str) -> Failure {
        self.context().cell(self.line(row), column, text, expected)
    }

    /// Appends the rows that follow in the table.
    pub fn append(&mut self, below: Self) {
        self.end_byte = below.end_byte;
        self.rows.append(below.rows);
    }
}

/// A table and its columns that are read.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) context: TableContext,
    /// Columns of the file that are read as numbers.
    pub(super) numbers: Vec<usize>,
    /// Columns of the file that are read as text, each once.
    pub(super) texts: Vec<usize>,
}

impl Selection {
    /// Rows of these columns, without any row yet.
    pub(super) fn no_rows(&self) -> Rows {
        Rows {
            tallies: vec![Tally::default(); self.numbers.len()],
            texts: vec![TextColumn::default(); self.texts.len()],
            ..Rows::default()
        }
    }

    /// Parses records, given with their lines, that have a cell for each column.
    pub(super) fn parse(&self, records: &[(ByteRecord, u64)]) -> Result<Rows, Failure> {
        let mut rows = self.no_rows();
        rows.numbers.reserve(records.len() * self.numbers.len());
        for (record, line) in records {
            rows.add_line(*line);
            for (slot, &column) in self.numbers.iter().enumerate() {
                rows.add_number(slot, &record[column]);
            }
            for (texts, &column) in rows.texts.iter_mut().zip(&self.texts) {
                let text = std::str::from_utf8(&record[column]).map_err(|_| {
                    let name = self.context.header.name(column);
                    Failure::new(format!("line {line}, column `{name}`: not UTF-8 text"))
                        .help(SAVE_AS_UTF8)
                })?;
                texts.push(text);
            }
        }
        Ok(rows)
    }
}

/// The file and the columns of a table, for messages about its cells.
#[derive(Debug, Clone)]
pub struct TableContext {
    pub(super) file: PathBuf,
    pub(super) header: Header,
    /// Names of the columns whose text is not shown.
    pub(super) concealed: Vec<String>,
}

impl TableContext {
    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The columns.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Creates an error about a cell. Lines are counted as an editor shows them: from 1, with the header.
    pub fn cell(&self, line: u64, column: usize, text: &str, expected: &str) -> Failure {
        let name = self.header.name(column);
        let quoted_text = if self.concealed.iter().any(|concealed| concealed == name) {
            String::new()
        } else {
            format!("\"{}\": ", short(text))
        };
        let what = format!(
            "line {line}, column `{}`: {quoted_text}expected {expected}",
            short(name)
        );
        Failure::new(what).in_file(&self.file)
    }

    /// The position of the column with this name.
    ///
    /// # Errors
    /// There is no such column.
    pub fn column(&self, name: &str) -> Result<usize, Failure> {
        let position = self.header.column(name);
        position.map_err(|failure| failure.in_file(&self.file))
    }
}

/// The parsed cells of rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    n_rows: usize,
    /// Numbers in row-major order. Cells that are not numbers are NaN.
    numbers: Vec<f64>,
    /// A tally for each column of numbers.
    tallies: Vec<Tally>,
    texts: Vec<TextColumn>,
    /// The rows that are not on the line after the previous row, with their lines.
    lines: Vec<(usize, u64)>,
    last_line: u64,
}

impl Rows {
    /// Starts a row on a line of the file.
    fn add_line(&mut self, line: u64) {
        if self.n_rows == 0 || line != self.last_line + 1 {
            self.lines.push((self.n_rows, line));
        }
        self.last_line = line;
        self.n_rows += 1;
    }

    /// Adds a cell of the last row to a column of numbers.
    fn add_number(&mut self, slot: usize, cell: &[u8]) {
        let (row, line) = (self.n_rows - 1, self.last_line);
        let tally = &mut self.tallies[slot];
        self.numbers.push(match cell::read(cell) {
            Cell::Number(number) => {
                tally.number(number);
                number
            }
            Cell::Boolean(truth) => {
                tally.boolean(row, line, cell);
                f64::from(u8::from(truth))
            }
            Cell::Code(number) => {
                tally.code(row, line, cell);
                number
            }
            Cell::NonNumber(kind) => {
                tally.non_number(kind, row, line, cell);
                f64::NAN
            }
        });
    }

    /// Appends the rows that follow.
    pub(super) fn append(&mut self, below: Self) {
        if self.numbers.is_empty() {
            self.numbers = below.numbers;
        } else {
            self.numbers.extend_from_slice(&below.numbers);
        }
        for (tally, below) in self.tallies.iter_mut().zip(below.tallies) {
            tally.append(below, self.n_rows);
        }
        for (texts, below) in self.texts.iter_mut().zip(&below.texts) {
            texts.append(below);
        }
        let lines = below.lines.iter();
        self.lines
            .extend(lines.map(|(row, line)| (self.n_rows + row, *line)));
        self.n_rows += below.n_rows;
        self.last_line = below.last_line;
    }

    /// The line of the file of a row.
    fn line(&self, row: usize) -> u64 {
        let after = self.lines.partition_point(|(first, _)| *first <= row);
        let (first, line) = self.lines[after - 1];
        line + (row - first) as u64
    }
}

/// The cells of a column, stored in one string.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextColumn {
    text: String,
    ends: Vec<usize>,
}

impl TextColumn {
    fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len());
    }

    /// Appends the cells of the rows that follow.
    pub fn append(&mut self, below: &Self) {
        let before = self.text.len();
        self.text.push_str(&below.text);
        self.ends.extend(below.ends.iter().map(|end| before + end));
    }

    /// The cell of a row without surrounding spaces.
    pub fn get(&self, row: usize) -> &str {
        self.verbatim(row).trim()
    }

    /// The cell of a row with surrounding spaces.
    pub fn verbatim(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[row]]
    }

    /// The cells from top to bottom without surrounding spaces.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|row| self.get(row))
    }

    /// Removes the cells of the rows where `keep` is `false`.
    pub fn retain(&mut self, keep: &[bool]) {
        let mut kept = Self::default();
        for (row, _) in keep.iter().enumerate().filter(|(_, is_kept)| **is_kept) {
            kept.push(self.verbatim(row));
        }
        *self = kept;
    }
}
