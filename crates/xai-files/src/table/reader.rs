//! Reads a `.csv` file with the crate `csv`, piece by piece.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use csv::ByteRecord;
use xai_core::parallel;

use crate::failure::{Failure, InFile};
use crate::table::header::{self, Header};
use crate::table::piece::{Piece, Place, Rows, Selection};

/// Bytes of a piece, about. Pieces are small beside the table and large beside the work of starting threads.
const PIECE: u64 = 1 << 20;

/// Appended to every file. The parser ends a quoted cell that is never closed at the end of the file without a word, and the rest
/// of the table would be lost in that cell; if this record is not the last one, it was swallowed by such a cell.
const END: &[u8] = b"\0end of the table\0";

/// Columns of a file by what they are read as.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// Columns that are read as numbers.
    pub numbers: Vec<usize>,
    /// Columns that are read as text.
    pub texts: Vec<usize>,
}

type Source = Box<dyn Read + Send>;

/// An open `.csv` file whose header has been read.
pub struct Table {
    place: Place,
    records: Records,
}

impl Table {
    /// Opens a `.csv` file. It is read once from start to end, so a pipe works too.
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
        let place = Place {
            file: file.to_owned(),
            header,
            concealed: Vec::new(),
        };
        Ok(Self { place, records })
    }

    /// Keeps the text of columns out of every message.
    pub fn concealing(mut self, columns: &[String]) -> Self {
        self.place.concealed = columns.to_vec();
        self
    }

    /// The file and its columns.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The column names.
    pub fn header(&self) -> &Header {
        &self.place.header
    }

    /// The position of the column with a name.
    pub fn column(&self, name: &str) -> Result<usize, Failure> {
        self.place.column(name)
    }

    /// Returns the rows piece by piece: at least one piece, which may have no rows.
    pub fn pieces(self, columns: &Columns) -> Pieces {
        // A column may be asked for twice.
        let mut texts: Vec<usize> = Vec::new();
        for &column in &columns.texts {
            if !texts.contains(&column) {
                texts.push(column);
            }
        }
        Pieces {
            selection: Arc::new(Selection {
                place: self.place,
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

    /// Reads all rows.
    pub fn whole(self, columns: &Columns) -> Result<Piece, Failure> {
        let mut pieces = self.pieces(columns);
        let mut whole = pieces.first()?;
        for piece in pieces {
            whole.append(piece?);
        }
        Ok(whole)
    }
}

/// Reads the header, and returns the records below it.
fn open(mut from: Source) -> Result<(Header, Records), Failure> {
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
    let mut text = Cursor::new(start);
    text.set_position(skipped as u64);
    let text: Source = match at_end {
        true => Box::new(text.chain(end_of_line).chain(END)),
        false => Box::new(text.chain(from).chain(end_of_line).chain(END)),
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

/// The records of a table, header first.
struct Records {
    reader: csv::Reader<Source>,
    skipped_bytes: u64,
    skipped_lines: u64,
    has_crlf: bool,
    n_read: u64,
    /// Line of the file that the last record ends on, counted from 1.
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
        // The parser has counted the end of the record's last line, unless that is `\r\n`: it leaves the second byte to the next
        // record. In files of an old Mac, whose lines end with `\r`, it counts nothing.
        let ended = self.reader.position().line() - u64::from(!self.has_crlf);
        self.line = self.skipped_lines + ended.max(self.n_read);
        Ok(true)
    }
}

/// The rows of a table, piece by piece.
pub struct Pieces {
    selection: Arc<Selection>,
    records: Records,
    /// Records of a piece with their lines. Kept from piece to piece for their memory.
    batch: Vec<(ByteRecord, u64)>,
    n_rows: usize,
    started: bool,
    done: bool,
}

impl Pieces {
    /// The table that is read.
    pub fn place(&self) -> &Place {
        &self.selection.place
    }

    /// The first piece, which may have no rows.
    fn first(&mut self) -> Result<Piece, Failure> {
        let piece = self.read()?;
        Ok(piece.unwrap_or_else(|| self.piece(self.selection.no_rows())))
    }

    fn read(&mut self) -> Result<Option<Piece>, Failure> {
        let n_columns = self.place().header.n_columns();
        let start = self.records.end_byte;
        let mut n = 0;
        while self.records.end_byte - start < PIECE {
            if n == self.batch.len() {
                self.batch.push(Default::default());
            }
            let (record, line) = &mut self.batch[n];
            let read = self.records.read(record);
            if !read.in_file(&self.selection.place.file)? {
                break;
            }
            *line = self.records.line;
            if record.len() == n_columns {
                n += 1;
            // A line of spaces is no row.
            } else if record.len() > 1 || !record[0].trim_ascii().is_empty() {
                let (n_cells, is_first) = (record.len(), self.n_rows + n == 0);
                return Err(self.wrong_length(n_cells, is_first));
            }
        }
        if n == 0 {
            return Ok(None);
        }
        // Several parts for each thread, because threads are rarely equally fast.
        let size = n.div_ceil(4 * rayon::current_num_threads());
        let parts: Vec<&[(ByteRecord, u64)]> = self.batch[..n].chunks(size).collect();
        let selection = &*self.selection;
        let parsed = parallel::map(parts.len(), |i| selection.parse(parts[i]));
        let mut rows = selection.no_rows();
        for part in parsed {
            rows.append(part.in_file(&selection.place.file)?);
        }
        let piece = self.piece(rows);
        self.n_rows += n;
        Ok(Some(piece))
    }

    fn wrong_length(&self, n: usize, is_first: bool) -> Failure {
        let (line, expected) = (self.records.line, self.place().header.n_columns());
        let what = format!("line {line}: {n} cells: expected {expected}, as in the header");
        let failure = Failure::new(what).in_file(self.place().file());
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
    fn a_message_names_the_line_of_the_file_whatever_stands_above_it() {
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
            let (column, cell) = piece.first_wrong().unwrap();
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
