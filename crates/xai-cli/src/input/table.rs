//! Numeric tables from `.csv` files with a header row.

use std::path::{Path, PathBuf};

use std::io::Read;

use ndarray::{Array1, Array2};

use crate::failure::{Failure, InFile};

/// A table of text cells with named columns.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    file: PathBuf,
    header: Vec<String>,
    rows: Vec<csv::StringRecord>,
    /// Rows of the file before these.
    first_row: usize,
    /// Bytes of the file up to the end of these.
    end_byte: u64,
    /// Columns whose text no message shows.
    concealed: Vec<String>,
}

/// Rows of a table that is read piece by piece.
const PIECE: usize = 4096;

/// A `.csv` file, piece by piece: at least one, the first possibly without rows.
pub(crate) struct Pieces<R> {
    file: PathBuf,
    header: Vec<String>,
    reader: csv::Reader<R>,
    size: usize,
    first_row: usize,
    done: bool,
    concealed: Vec<String>,
}

impl<R: Read> Pieces<R> {
    /// Keeps the text of columns out of every message.
    pub(crate) fn concealing(mut self, columns: &[String]) -> Self {
        self.concealed = columns.to_vec();
        self
    }

    fn new(file: &Path, text: R, size: usize) -> Result<Self, Failure> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(text);
        let header: Vec<String> = reader
            .headers()
            .map_err(|e| Failure::new(format!("not a CSV table: {e}")))
            .in_file(file)?
            .iter()
            .map(str::to_owned)
            .collect();
        if header.iter().all(String::is_empty) {
            return Err(
                Failure::new("empty: expected a header row with column names").in_file(file),
            );
        }
        if let Some(twice) = (1..header.len()).find(|&i| header[..i].contains(&header[i])) {
            return Err(
                Failure::new(format!("column `{}` occurs twice", header[twice])).in_file(file),
            );
        }
        Ok(Self {
            file: file.to_owned(),
            header,
            reader,
            size,
            first_row: 0,
            done: false,
            concealed: Vec::new(),
        })
    }

    /// The position of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Failure> {
        position(&self.header, name).in_file(&self.file)
    }
}

impl<R: Read> Iterator for Pieces<R> {
    type Item = Result<Table, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let rows: Result<Vec<_>, _> = self.reader.records().take(self.size).collect();
        let rows = match rows {
            Ok(rows) => rows,
            Err(e) => {
                self.done = true;
                let failure = Failure::new(format!("not a CSV table: {e}"));
                return Some(Err(failure.in_file(&self.file)));
            }
        };
        self.done = rows.len() < self.size;
        let first_row = self.first_row;
        self.first_row += rows.len();
        if rows.is_empty() && first_row > 0 {
            return None;
        }
        Some(Ok(Table {
            file: self.file.clone(),
            header: self.header.clone(),
            rows,
            first_row,
            end_byte: self.reader.position().byte(),
            concealed: self.concealed.clone(),
        }))
    }
}

fn position(header: &[String], name: &str) -> Result<usize, Failure> {
    header.iter().position(|h| h == name).ok_or_else(|| {
        Failure::new(format!("no column `{name}`"))
            .help(format!("the columns are {}", header.join(", ")))
    })
}

fn open(file: &Path) -> Result<std::fs::File, Failure> {
    std::fs::File::open(file)
        .map_err(Failure::cannot_be_opened)
        .in_file(file)
}

impl Table {
    /// Reads a `.csv` file.
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        Self::parse(file, open(file)?)
    }

    /// Reads a `.csv` file piece by piece.
    pub(crate) fn pieces(file: &Path) -> Result<Pieces<std::fs::File>, Failure> {
        Pieces::new(file, open(file)?, PIECE)
    }

    /// Reads the text of a `.csv` file.
    pub(crate) fn parse(file: &Path, text: impl Read) -> Result<Self, Failure> {
        let mut whole = Pieces::new(file, text, usize::MAX)?;
        match whole.next() {
            Some(table) => table,
            None => Err(Failure::new("empty").in_file(file)),
        }
    }

    /// The first rows alone.
    pub(crate) fn first_rows(&self, limit: usize) -> Self {
        Self {
            rows: self.rows[..limit.min(self.rows.len())].to_vec(),
            ..self.without_rows()
        }
    }

    fn without_rows(&self) -> Self {
        Self {
            file: self.file.clone(),
            header: self.header.clone(),
            rows: Vec::new(),
            first_row: self.first_row,
            end_byte: self.end_byte,
            concealed: self.concealed.clone(),
        }
    }

    /// Keeps the text of columns out of every message.
    pub(crate) fn concealing(mut self, columns: &[String]) -> Self {
        self.concealed = columns.to_vec();
        self
    }

    /// Bytes of the file up to the end of these rows.
    pub(crate) fn end_byte(&self) -> u64 {
        self.end_byte
    }

    /// Whether there is a column of that name.
    pub(crate) fn has_column(&self, name: &str) -> bool {
        self.header.iter().any(|h| h == name)
    }

    /// The file, for messages.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The column names, in file order.
    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// The number of rows below the header.
    pub(crate) fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// The position of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Failure> {
        position(&self.header, name).in_file(&self.file)
    }

    /// One cell as text.
    pub(crate) fn text(&self, row: usize, column: usize) -> &str {
        &self.rows[row][column]
    }

    /// A column of finite numbers.
    pub(crate) fn numbers(&self, name: &str) -> Result<Array1<f64>, Failure> {
        let column = self.column(name)?;
        (0..self.n_rows())
            .map(|row| self.number(row, column))
            .collect()
    }

    /// A column of integer labels.
    pub(crate) fn labels(&self, name: &str) -> Result<Vec<i64>, Failure> {
        let column = self.column(name)?;
        (0..self.n_rows())
            .map(|row| {
                let text = self.text(row, column);
                text.parse()
                    .map_err(|_| self.cell(row, column, "an integer label"))
            })
            .collect()
    }

    /// Several columns of finite numbers, `(n_rows, n_columns)`.
    pub(crate) fn matrix(&self, names: &[String]) -> Result<Array2<f64>, Failure> {
        let columns: Vec<usize> = names
            .iter()
            .map(|name| self.column(name))
            .collect::<Result<_, _>>()?;
        let mut values = Vec::with_capacity(self.n_rows() * columns.len());
        for row in 0..self.n_rows() {
            for &column in &columns {
                values.push(self.number(row, column)?);
            }
        }
        Array2::from_shape_vec((self.n_rows(), columns.len()), values).map_err(Failure::new)
    }

    /// The number of a row as a person counts it in the file: from 1 below the header.
    pub(crate) fn row_number(&self, row: usize) -> usize {
        self.first_row + row + 1
    }

    fn number(&self, row: usize, column: usize) -> Result<f64, Failure> {
        self.text(row, column)
            .parse()
            .ok()
            .filter(|x: &f64| x.is_finite())
            .ok_or_else(|| self.cell(row, column, "a finite number"))
    }

    /// A cell that is not what it should be. Rows are counted from 1 below the header, as a person
    /// counts them.
    pub(crate) fn cell(&self, row: usize, column: usize, expected: &str) -> Failure {
        let name = &self.header[column];
        let text = match self.concealed.contains(name) {
            true => String::new(),
            false => format!("\"{}\": ", self.text(row, column)),
        };
        let row = self.row_number(row);
        Failure::new(format!(
            "row {row}, column `{name}`: {text}expected {expected}"
        ))
        .in_file(&self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Result<Table, Failure> {
        Table::parse("t.csv".as_ref(), text.as_bytes())
    }

    #[test]
    fn columns_are_found_by_name() {
        let table = table("a,b,c\n1,2,x\n3,4.5,y\n").unwrap();
        assert_eq!(table.labels("a").unwrap(), [1, 3]);
        let matrix = table.matrix(&["b".into(), "a".into()]).unwrap();
        assert_eq!(matrix, ndarray::array![[2.0, 1.0], [4.5, 3.0]]);
    }

    #[test]
    fn pieces_join_to_the_whole_and_count_rows_on() {
        let text = "a,b\n1,2\n3,4\n5,x\n";
        for size in [1, 2, 3, 4] {
            let pieces: Vec<_> = Pieces::new("t.csv".as_ref(), text.as_bytes(), size)
                .unwrap()
                .collect();
            let rows: Vec<_> = pieces
                .iter()
                .flat_map(|piece| piece.as_ref().unwrap().labels("a").unwrap())
                .collect();
            assert_eq!(rows, [1, 3, 5]);
            let last = pieces.last().unwrap().as_ref().unwrap();
            assert_eq!(last.row_number(last.n_rows() - 1), 3);
            assert!(last.labels("b").is_err());
            assert_eq!(last.end_byte(), text.len() as u64);
        }
        let header_only: Vec<_> = Pieces::new("t.csv".as_ref(), &b"a,b\n"[..], 2)
            .unwrap()
            .collect();
        assert_eq!(header_only.len(), 1);
    }

    #[test]
    fn what_is_no_table_of_numbers_is_an_error_of_the_file() {
        for text in [
            "a,b\n1,2\n3,x\n",
            "a,b\n1,NaN\n",
            "a,c\n1,2\n",
            "a,b\n1\n",
            "",
            "a,a\n1,2\n",
        ] {
            let failure = table(text).and_then(|t| t.numbers("b")).unwrap_err();
            assert_eq!(failure.place(), Some("t.csv"), "{text}");
        }
    }
}
