//! Records of a part of a block, parsed.

use csv_core::ReadRecordResult;

use super::cell::{self, Cell};
use super::tally::Tally;

/// How records are written, and what is wanted of them.
#[derive(Debug, Clone)]
pub(super) struct Format {
    pub(super) separator: u8,
    /// By column of the file.
    pub(super) roles: Vec<Role>,
    pub(super) n_numbers: usize,
    pub(super) n_texts: usize,
}

/// What is wanted of a column of the file: its place among the numbers, and among the texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Role {
    pub(super) number: Option<usize>,
    pub(super) text: Option<usize>,
}

/// Rows of a table in the columns that are wanted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) n_rows: usize,
    /// Row after row; NaN for a missing cell.
    pub(super) numbers: Vec<f64>,
    /// Of each column of numbers.
    pub(super) tallies: Vec<Tally>,
    pub(super) texts: Vec<TextColumn>,
}

/// A record that is no row of the table. Rows are counted from 0 in the part.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BadRow {
    Cells { row: usize, n: usize },
    NotUtf8 { row: usize, column: usize },
}

impl BadRow {
    pub(super) fn below(self, first_row: usize) -> Self {
        match self {
            Self::Cells { row, n } => Self::Cells {
                row: row + first_row,
                n,
            },
            Self::NotUtf8 { row, column } => Self::NotUtf8 {
                row: row + first_row,
                column,
            },
        }
    }
}

impl Rows {
    pub(super) fn new(format: &Format) -> Self {
        Self {
            tallies: vec![Tally::default(); format.n_numbers],
            texts: vec![TextColumn::default(); format.n_texts],
            ..Self::default()
        }
    }

    /// Parses whole records.
    pub(super) fn parse(bytes: &[u8], format: &Format) -> Result<Self, BadRow> {
        let mut rows = Self::new(format);
        let mut records = Records::new(bytes, format.separator);
        let Some(first) = records.next() else {
            return Ok(rows);
        };
        rows.add(first, format)?;
        // Rows are about as long as the first.
        let about = bytes.len() / records.position().max(1) + 1;
        rows.numbers.reserve(about.saturating_mul(format.n_numbers));
        while let Some(record) = records.next() {
            rows.add(record, format)?;
        }
        Ok(rows)
    }

    fn add(&mut self, record: Record<'_>, format: &Format) -> Result<(), BadRow> {
        let row = self.n_rows;
        let n = record.ends.len();
        if n != format.roles.len() {
            // A line of blanks is no row.
            if n == 1 && record.bytes.trim_ascii().is_empty() {
                return Ok(());
            }
            return Err(BadRow::Cells { row, n });
        }
        let start = self.numbers.len();
        self.numbers.resize(start + format.n_numbers, f64::NAN);
        let mut from = 0;
        for (column, (&end, role)) in record.ends.iter().zip(&format.roles).enumerate() {
            let cell = &record.bytes[from..end];
            from = end;
            if let Some(slot) = role.number {
                match cell::read(cell) {
                    Cell::Number(number) => {
                        self.numbers[start + slot] = number;
                        self.tallies[slot].number();
                    }
                    Cell::Boolean(truth) => {
                        self.numbers[start + slot] = f64::from(u8::from(truth));
                        self.tallies[slot].boolean(row, cell);
                    }
                    Cell::NonNumber(kind) => self.tallies[slot].non_number(kind, row, cell),
                }
            }
            if let Some(slot) = role.text {
                let text = std::str::from_utf8(cell);
                let text = text.map_err(|_| BadRow::NotUtf8 { row, column })?;
                self.texts[slot].push(text);
            }
        }
        self.n_rows += 1;
        Ok(())
    }

    /// Adds rows further down.
    pub(super) fn append(&mut self, mut below: Self) {
        if self.numbers.is_empty() {
            self.numbers = std::mem::take(&mut below.numbers);
        } else {
            self.numbers.extend_from_slice(&below.numbers);
        }
        for (tally, below) in self.tallies.iter_mut().zip(below.tallies) {
            tally.append(below, self.n_rows);
        }
        for (texts, below) in self.texts.iter_mut().zip(&below.texts) {
            texts.append(below);
        }
        self.n_rows += below.n_rows;
    }
}

/// The cells of a column, one behind the other in one string.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextColumn {
    text: String,
    ends: Vec<usize>,
}

impl TextColumn {
    pub(super) fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len());
    }

    /// Adds the cells of rows further down.
    pub fn append(&mut self, below: &Self) {
        let before = self.text.len();
        self.text.push_str(&below.text);
        self.ends.extend(below.ends.iter().map(|end| before + end));
    }

    /// The cell of a row, without spaces at its ends.
    pub fn get(&self, row: usize) -> &str {
        self.verbatim(row).trim()
    }

    /// The cell of a row as it is written.
    pub fn verbatim(&self, row: usize) -> &str {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[row]]
    }

    /// The cells from top to bottom, without spaces at their ends.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|row| self.get(row))
    }

    /// Keeps the cells of some rows.
    pub fn retain(&mut self, keep: &[bool]) {
        let mut kept = Self::default();
        for (row, _) in keep.iter().enumerate().filter(|(_, keep)| **keep) {
            kept.push(self.verbatim(row));
        }
        *self = kept;
    }
}

/// The cells of a record, one behind the other, without their quotes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) ends: &'a [usize],
}

impl<'a> Record<'a> {
    pub(super) fn cells(self) -> impl Iterator<Item = &'a [u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(self.ends);
        ranges.map(move |(start, &end)| &self.bytes[start..end])
    }
}

/// The records of bytes, one at a time; empty lines are none.
pub(super) struct Records<'a> {
    parser: csv_core::Reader,
    bytes: &'a [u8],
    position: usize,
    cells: Vec<u8>,
    ends: Vec<usize>,
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8], separator: u8) -> Self {
        Self {
            parser: csv_core::ReaderBuilder::new().delimiter(separator).build(),
            bytes,
            position: 0,
            cells: vec![0; 1024],
            ends: vec![0; 64],
        }
    }

    /// Bytes that were read.
    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn next(&mut self) -> Option<Record<'_>> {
        let (mut n_bytes, mut n_ends) = (0, 0);
        loop {
            let (result, read, written, ended) = self.parser.read_record(
                &self.bytes[self.position..],
                &mut self.cells[n_bytes..],
                &mut self.ends[n_ends..],
            );
            self.position += read;
            n_bytes += written;
            n_ends += ended;
            match result {
                // Read on: without more bytes, the parser ends the last record.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.cells.resize(2 * self.cells.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => {
                    return Some(Record {
                        bytes: &self.cells[..n_bytes],
                        ends: &self.ends[..n_ends],
                    });
                }
                ReadRecordResult::End => return None,
            }
        }
    }
}
