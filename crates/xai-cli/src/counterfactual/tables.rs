//! Rows of tables and arrays, encoded by a schema.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ndarray::{Array2, Axis};
use xai_files::table::{Columns, Piece, Table};
use xai_files::{Failure, Files, arrays};
use xai_metrics::counterfactual::{Rule, Schema, input};

/// Cells that are missing values.
const MISSING: [&str; 4] = ["", "nan", "NaN", "NA"];

/// A schema with the columns of tables.
#[derive(Debug)]
pub(super) struct TableSchema {
    pub(super) schema: Schema,
    /// Names of the columns.
    pub(super) columns: Vec<String>,
    /// The categories of each column of words, whose codes are their positions.
    pub(super) words: Vec<Option<Vec<String>>>,
    /// Codes of further words, which only counterfactuals have, by the position of their column.
    pub(super) further: Mutex<HashMap<(usize, String), usize>>,
    pub(super) rules: Vec<Rule>,
}

impl TableSchema {
    /// The code of a word that is none of the categories of its column, the same in all files.
    fn further_code(&self, column: usize, word: &str, n_categories: usize) -> usize {
        let mut further = self.further.lock().unwrap_or_else(PoisonError::into_inner);
        let next = n_categories + further.len();
        *further.entry((column, word.to_owned())).or_insert(next)
    }
}

/// A table in memory.
pub(super) struct TableFile {
    file: PathBuf,
    names: Vec<String>,
    piece: Piece,
}

impl TableFile {
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let table = Table::read(file)?;
        let names = table.header().names().to_vec();
        let texts = names
            .iter()
            .map(|name| table.column(name))
            .collect::<Result<Vec<_>, _>>()?;
        let columns = Columns {
            numbers: Vec::new(),
            texts,
        };
        Ok(Self {
            file: file.to_owned(),
            names,
            piece: table.whole(&columns)?,
        })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.names.iter()
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.names.iter().any(|name| name == column)
    }

    pub(super) fn n_rows(&self) -> usize {
        self.piece.n_rows()
    }

    /// Where errors are about this table.
    pub(super) fn places(&self) -> Files<'_> {
        Files::with_main_file(&self.file).file(&[input::ROWS], &self.file)
    }

    /// The cells of a column.
    pub(super) fn cells(&self, column: &str) -> Result<Vec<&str>, Failure> {
        let position = self.piece.context().column(column)?;
        Ok(self.piece.text(position)?.iter().collect())
    }

    /// The numbers of a column; `None` if it has words. Missing cells are NaN.
    pub(super) fn numbers(&self, column: &str) -> Result<Option<Vec<f64>>, Failure> {
        let cells = self.cells(column)?.into_iter();
        Ok(cells.map(parse).collect())
    }

    /// The different words of a column, sorted.
    pub(super) fn words(&self, column: &str) -> Result<Vec<toml::Value>, Failure> {
        let mut words = self.cells(column)?;
        words.sort_unstable();
        words.dedup();
        Ok(words.into_iter().map(toml::Value::from).collect())
    }

    /// An error about a cell.
    pub(super) fn cell(&self, row: usize, column: &str, text: &str, expected: &str) -> Failure {
        match self.piece.context().column(column) {
            Ok(position) => self.piece.cell(row, position, text, expected),
            Err(failure) => failure,
        }
    }

    /// Encodes the rows: numbers as they are, words by their position among the categories, and unknown words of
    /// counterfactuals as further categories. Missing cells are NaN.
    fn encode(
        &self,
        schema: &TableSchema,
        is_counterfactual: bool,
    ) -> Result<Array2<f64>, Failure> {
        let mut rows = Array2::from_elem((self.n_rows(), schema.columns.len()), f64::NAN);
        for (position, column) in schema.columns.iter().enumerate() {
            let words = schema.words[position].as_deref();
            let known = words.into_iter().flatten().enumerate();
            let known: HashMap<&str, usize> =
                known.map(|(code, word)| (word.as_str(), code)).collect();
            for (row, text) in self.cells(column)?.into_iter().enumerate() {
                if MISSING.contains(&text) {
                    continue;
                }
                let Some(words) = words else {
                    let number = parse(text).filter(|number| number.is_finite());
                    let wrong = || self.cell(row, column, text, "a number, as the schema says");
                    rows[[row, position]] = number.ok_or_else(wrong)?;
                    continue;
                };
                let code = match known.get(text) {
                    Some(code) => *code,
                    None if is_counterfactual => schema.further_code(position, text, words.len()),
                    None => {
                        let expected = format!("one of {}", words.join(", "));
                        return Err(self.cell(row, column, text, &expected));
                    }
                };
                rows[[row, position]] = code as f64;
            }
        }
        Ok(rows)
    }
}

fn parse(text: &str) -> Option<f64> {
    if MISSING.contains(&text) {
        Some(f64::NAN)
    } else {
        text.parse().ok()
    }
}

/// Rows of a file: a table with columns by name, or an array.
pub(super) enum RowFile {
    Table(TableFile),
    Array(Array2<f64>),
}

impl RowFile {
    /// Reads a file. Whatever does not end in `.csv` is an array.
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let is_table = file
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        if is_table {
            return TableFile::read(file).map(Self::Table);
        }
        arrays::read_f64(file).map(Self::Array)
    }

    pub(super) fn table(&self) -> Option<&TableFile> {
        match self {
            Self::Table(table) => Some(table),
            Self::Array(_) => None,
        }
    }

    pub(super) fn n_rows(&self) -> usize {
        match self {
            Self::Table(table) => table.n_rows(),
            Self::Array(rows) => rows.nrows(),
        }
    }

    pub(super) fn n_columns(&self) -> usize {
        match self {
            Self::Table(table) => table.names.len(),
            Self::Array(rows) => rows.ncols(),
        }
    }

    /// Encodes the rows. A missing cell is an error that names it.
    pub(super) fn rows(&self, schema: &TableSchema) -> Result<Array2<f64>, Failure> {
        let rows = self.encode(schema, false)?;
        self.check(schema, &rows, |_| true)?;
        Ok(rows)
    }

    /// Encodes counterfactuals, and returns which of them exist: a row without any value is an answer that does not
    /// exist.
    pub(super) fn counterfactuals(
        &self,
        schema: &TableSchema,
    ) -> Result<(Array2<f64>, Vec<usize>), Failure> {
        let rows = self.encode(schema, true)?;
        let exists = |row: usize| rows.row(row).iter().any(|value| !value.is_nan());
        self.check(schema, &rows, exists)?;
        let kept: Vec<usize> = (0..rows.nrows()).filter(|&row| exists(row)).collect();
        Ok((rows.select(Axis(0), &kept), kept))
    }

    fn encode(
        &self,
        schema: &TableSchema,
        is_counterfactual: bool,
    ) -> Result<Array2<f64>, Failure> {
        match self {
            Self::Table(table) => table.encode(schema, is_counterfactual),
            Self::Array(rows) => Ok(rows.clone()),
        }
    }

    fn check(
        &self,
        schema: &TableSchema,
        rows: &Array2<f64>,
        exists: impl Fn(usize) -> bool,
    ) -> Result<(), Failure> {
        let Self::Table(table) = self else {
            return Ok(()); // The library names the element of an array.
        };
        let mut missing = rows.indexed_iter().filter(|(_, value)| value.is_nan());
        match missing.find(|((row, _), _)| exists(*row)) {
            Some(((row, position), _)) => {
                let column = &schema.columns[position];
                Err(table.cell(
                    row,
                    column,
                    "",
                    "a value: fill such cells, or leave their rows out",
                ))
            }
            None => Ok(()),
        }
    }
}
