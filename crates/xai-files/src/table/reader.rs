//! Reading of `.csv` files in pieces, with the crate `csv`.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use csv::ByteRecord;
use xai_core::parallel;

use crate::failure::{Failure, InFile};
use crate::table::header::{self, Header};
use crate::table::piece::{Piece, Rows, Selection, TableContext};

/// Approximate size of a piece in bytes: small compared with a large table, but large enough that starting threads
/// costs little.
const PIECE: u64 = 1 << 20;

/// A record that is appended to every file. The parser ends a quoted cell that is never closed at the end of the
/// file without an error, so the rest of the table would be lost in that cell. If this record is not read as the
/// last one, it is part of such a cell.
const END: &[u8] = b"\0end of the table\0";

/// Selected columns of a file, by the type that they are read as.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// Columns that are read as numbers.
    pub numbers: Vec<usize>,
    /// Columns that are read as text.
    pub texts: Vec<usize>,
}

type BoxedReader = Box<dyn Read + Send>;

/// An open `.csv` file whose header has been read.
pub struct Table {
    context: TableContext,
    records: Records,
}

impl Table {
    /// Opens a `.csv` file. It is read once from start to end, so it may be a pipe.
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let opened = File::open(file)
            .map_err(Failure::cannot_be_opened)
            .in_file(file)?;
        Self::parse(file, opened)
    }

    /// Reads the text of a `.csv` file.
    pub fn parse(
        file: impl AsRef<Path>,
        text: impl Read + Send + 'static,
    ) -> Result<Self, Failure> {
        let file = file.as_ref();
        let (header, records) = open(Box::new(text)).in_file(file)?;
        let context = TableContext {
            file: file.to_owned(),
            header,
            concealed: Vec::new(),
        };
        Ok(Self { context, records })
    }

    /// Excludes the text of columns from all messages.
    pub fn conceal(mut self, columns: &[String]) -> Self {
        self.context.concealed = columns.to_vec();
        self
    }

    /// The file and its columns.
    pub fn context(&self) -> &TableContext {
        &self.context
    }

    /// The column names.
    pub fn header(&self) -> &Header {
        &self.context.header
    }

    /// The position of the column with this name.
    ///
    /// # Errors
    /// There is no such column.
    pub fn column(&self, name: &str) -> Result<usize, Failure> {
        self.context.column(name)
    }

    /// Returns an iterator over pieces of the rows. There is at least one piece, which may have no rows.
    pub fn pieces(self, columns: &Columns) -> Pieces {
        // A column may be listed twice.
        let mut texts: Vec<usize> = Vec::new();
        for &column in &columns.texts {
            if !texts.contains(&column) {
                texts.push(column);
            }
        }
        Pieces {
            selection: Arc::new(Selection {
                context: self.context,
                numbers: columns.numbers.clone(),
                texts,
            }),
            records: self.records,
            batch: Vec::new(),
            n_rows: 0,
            started: false,
            done: false,
        }
    }

    /// Reads all rows as one piece.
    pub fn whole(self, columns: &Columns) -> Result<Piece, Failure> {
        let mut pieces = self.pieces(columns);
        let mut whole = pieces.first()?;
        for piece in pieces {
            whole.append(piece?);
        }
        Ok(whole)
    }
}

/// Reads the header, and returns it with the reader of the records below it.
fn open(mut from: BoxedReader) -> Result<(Header, Records), Failure> {
    // Reads until the first line is complete, because the separator is found in it.
    let mut start = Vec::new();
    let (skipped, line, at_end) = loop {
        let room = start.len().max(64 << 10) as u64;
        let read = from.by_ref().take(room).read_to_end(&mut start);
        let at_end = (read.map_err(Failure::cannot_be_read)? as u64) < room;
        header::check_start(&start)?;
        let skipped = header::before_header(&start);
        match header::first_line(&start[skipped..]) {
            None if !at_end => {}
            line => break (skipped, line.map(<[u8]>::to_vec), at_end),
        }
    };
    let skipped_lines = u64::from(skipped > 3);
    let separator = header::separator(line.as_deref().unwrap_or(&start[skipped..]));
    let has_crlf = start.windows(2).any(|pair| pair == b"\r\n");
    let end_of_line: &[u8] = if has_crlf { b"\r" } else { b"\n" };
    let mut beginning = Cursor::new(start);
    beginning.set_position(skipped as u64);
    let text: BoxedReader = if at_end {
        Box::new(beginning.chain(end_of_line).chain(END))
    } else {
        Box::new(beginning.chain(from).chain(end_of_line).chain(END))
    };
    let mut records = Records {
        reader: csv::ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(256 << 10)
            .from_reader(text),
        skipped_bytes: skipped as u64,
        skipped_lines,
        has_crlf,
        n_read: 0,
        line: skipped_lines,
        end_byte: 0,
        at_end: false,
    };
    let mut names = ByteRecord::new();
    if !records.read(&mut names)? {
        return Err(Failure::new(
            "empty: expected a header row with column names",
        ));
    }
    Ok((Header::new(names.iter())?, records))
}

/// Reader of the records of a table, starting with the header.
struct Records {
    reader: csv::Reader<BoxedReader>,
    skipped_bytes: u64,
    skipped_lines: u64,
    has_crlf: bool,
    n_read: u64,
    /// Line of the file on which the last record ends, counted from 1.
    line: u64,
    /// Bytes of the file up to the end of the last record.
    end_byte: u64,
    at_end: bool,
}

impl Records {
    /// Reads the next record. Returns `false` at the end of the table.
    fn read(&mut self, record: &mut ByteRecord) -> Result<bool, Failure> {
        let mut read = |record: &mut ByteRecord| {
            let read = self.reader.read_byte_record(record);
            read.map_err(Failure::cannot_be_read)
        };
        if self.at_end {
            return Ok(false);
        }
        let is_record = read(record)?;
        let last = record.iter().next_back().unwrap_or_default();
        if !is_record || last.ends_with(END) {
            if last == END && record.len() == 1 && !read(&mut ByteRecord::new())? {
                self.at_end = true;
                return Ok(false);
            }
            return Err(Failure::new(format!(
                "line {} or below: a quote begins a cell that never ends",
                self.line + 1
            )));
        }
        self.n_read += 1;
        self.end_byte = self.skipped_bytes + self.reader.position().byte();
        // The parser has already counted the line break at the end of the record, unless it is `\r\n`, whose second
        // byte belongs to the next record. In files with line breaks `\r` (old Macs) it counts nothing.
        let ended = self.reader.position().line() - u64::from(!self.has_crlf);
        self.line = self.skipped_lines + ended.max(self.n_read);
        Ok(true)
    }
}

/// Iterator over pieces of the rows of a table.
pub struct Pieces {
    selection: Arc<Selection>,
    records: Records,
    /// Records of a piece with their lines. Their memory is reused for the next piece.
    batch: Vec<(ByteRecord, u64)>,
    n_rows: usize,
    started: bool,
    done: bool,
}

impl Pieces {
    /// The table that is read.
    pub fn context(&self) -> &TableContext {
        &self.selection.context
    }

    /// The first piece, which may have no rows.
    fn first(&mut self) -> Result<Piece, Failure> {
        let piece = self.read()?;
        Ok(piece.unwrap_or_else(|| self.piece(self.selection.no_rows())))
    }

    /// Reads the next piece; `None` at the end of the table.
    fn read(&mut self) -> Result<Option<Piece>, Failure> {
        let n_columns = self.context().header.n_columns();
        let start = self.records.end_byte;
        let mut n = 0;
        while self.records.end_byte - start < PIECE {
            if n == self.batch.len() {
                self.batch.push(Default::default());
            }
            let (record, line) = &mut self.batch[n];
            let read = self.records.read(record);
            if !read.in_file(&self.selection.context.file)? {
                break;
            }
            *line = self.records.line;
            if record.len() == n_columns {
                n += 1;
            // A line with spaces only is not a row of a table with several columns.
            } else if record.len() > 1 || !record[0].trim_ascii().is_empty() {
                let (n_cells, is_first) = (record.len(), self.n_rows + n == 0);
                return Err(self.wrong_length(n_cells, is_first));
            }
        }
        if n == 0 {
            return Ok(None);
        }
        // Several parts per thread, because threads rarely take equally long.
        let size = n.div_ceil(4 * rayon::current_num_threads());
        let parts: Vec<&[(ByteRecord, u64)]> = self.batch[..n].chunks(size).collect();
        let selection = &*self.selection;
        let parsed = parallel::map(parts.len(), |i| selection.parse(parts[i]));
        let mut rows = selection.no_rows();
        for part in parsed {
            rows.append(part.in_file(&selection.context.file)?);
        }
        let piece = self.piece(rows);
        self.n_rows += n;
        Ok(Some(piece))
    }

    /// Error about a record with `n` cells.
    fn wrong_length(&self, n: usize, is_first: bool) -> Failure {
        let (line, expected) = (self.records.line, self.context().header.n_columns());
        let what = format!("line {line}: {n} cells: expected {expected}, as in the header");
        let failure = Failure::new(what).in_file(self.context().file());
        if is_first && n == expected + 1 {
            failure.help("name every column, also one of row names")
        } else {
            failure
        }
    }

    fn piece(&self, rows: Rows) -> Piece {
        Piece {
            selection: self.selection.clone(),
            rows,
            first_row: self.n_rows,
            end_byte: self.records.end_byte,
        }
    }
}

impl Iterator for Pieces {
    type Item = Result<Piece, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let read = if self.started {
            self.read()
        } else {
            self.first().map(Some)
        };
        self.started = true;
        self.done = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Piece, Failure> {
        let table = Table::parse("t.csv", Cursor::new(text.to_owned().into_bytes()))?;
        let all: Vec<usize> = (0..table.header().n_columns()).collect();
        table.whole(&Columns {
            numbers: all.clone(),
            texts: all,
        })
    }

    #[test]
    fn messages_name_the_line_of_the_file_despite_comments_above() {
        for (text, line) in [
            ("a,b\n1,x\n", 2),
            ("a,b\n1,2\n3,x", 3),
            ("a,b\r\n1,2\r\n3,x\r\n", 3),
            ("a,b\r\n1,2\r\n3,x", 3),
            ("a,b\r1,2\r3,x\r", 3),
            ("\u{feff}sep=,\r\na,b\r\n1,x\r\n", 3),
            ("sep=,\na,b\n1,x\n", 3),
            ("a,b\n\n\n1,2\n\n3,x\n", 6),
            ("a,b\n   \n1,x\n", 3),
            ("\"a\na\",b\n1,2\n3,x\n", 4),
            ("a,b\n\"1\n\",2\n3,x\n", 4),
        ] {
            let piece = read(text).unwrap();
            let (column, cell) = piece.first_invalid().unwrap();
            let failure = piece
                .cell(cell.row, column, &cell.text, "a number")
                .to_string();
            let expected =
                format!("error: t.csv: line {line}, column `b`: \"x\": expected a number");
            assert_eq!(failure, expected, "{text:?}");
        }
        for (text, expected) in [
            ("a,b\n\n1,2\n3\n", "line 4: 1 cells"),
            ("a,b\n1,2,3\n", "line 2: 3 cells"),
            ("a,b\n1,2\n3,\"x\n4,5\n", "line 3 or below: a quote"),
            ("a,b\n1,2\n3,\"x\"\"", "line 3 or below: a quote"),
            ("a,\"b\n1,2\n", "line 1 or below: a quote"),
        ] {
            let failure = read(text).unwrap_err().to_string();
            assert!(failure.contains(expected), "{failure}");
        }
    }

    #[test]
    fn many_pieces_are_one_table() {
        let row = |i: usize| match i % 3 {
            0 => format!("{i},\"cell\n{i}\"\n"),
            1 => format!("{i},{i}\r\n"),
            _ => format!("\n{i},\"\"\"\"\n"),
        };
        let n = 200_000;
        let text: String = std::iter::once("a,b\n".to_owned())
            .chain((0..n).map(row))
            .collect();
        assert!(text.len() as u64 > 2 * PIECE);
        let piece = read(&text).unwrap();
        assert_eq!(piece.n_rows(), n);
        assert!(piece.end_byte().abs_diff(text.len() as u64) <= 1);
        for i in [0, 1, 2, 77_777, n - 1] {
            assert_eq!(piece.numbers()[[i, 0]], i as f64);
        }
        let texts = piece.text(1).unwrap();
        assert_eq!(texts.verbatim(3), "cell\n3");
        assert_eq!(texts.verbatim(199_999), "199999");
    }

    #[test]
    fn bytes_that_look_like_the_end_hide_no_rows() {
        let end = String::from_utf8(END.to_vec()).unwrap();
        let text = format!("a\n{}{end}\n1\n", "1\n".repeat(5000));
        assert!(read(&text).is_err());
    }
}
