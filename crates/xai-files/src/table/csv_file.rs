//! A `.csv` file.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use xai_core::parallel;

use crate::failure::{Failure, InFile};
use crate::table::blocks::{Block, Blocks};
use crate::table::chunk::{BadRow, Format, Records, Role, Rows};
use crate::table::header;
use crate::table::header::{Header, SAVE_AS_UTF8};
use crate::table::piece::{Piece, Place};

/// Bytes that one thread parses at a time: large beside what is done once for each part, small beside
/// the table.
const PART: usize = 256 << 10;

/// Bytes that are read at a time, at most.
const BLOCK: usize = 16 << 20;

/// Columns of a file by what they hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// Those that are read as numbers.
    pub numbers: Vec<usize>,
    /// Those that are read as text.
    pub texts: Vec<usize>,
}

/// An open `.csv` file, of which the header is read.
pub struct Table {
    place: Place,
    blocks: Blocks<Box<dyn Read + Send>>,
    separator: u8,
    block: usize,
    part: usize,
}

impl Table {
    /// Opens a `.csv` file; one that can be read only once will do.
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
        let mut blocks = Blocks::new(Box::new(text) as Box<dyn Read + Send>);
        let file = file.as_ref();
        let (header, separator) = read_header(&mut blocks).in_file(file)?;
        let threads = rayon::current_num_threads();
        Ok(Self {
            place: Place {
                file: file.to_owned(),
                header,
                concealed: Vec::new(),
            },
            blocks,
            separator,
            block: (2 * threads * PART).min(BLOCK),
            part: PART,
        })
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

    /// Where a column of that name is.
    pub fn column(&self, name: &str) -> Result<usize, Failure> {
        self.place.column(name)
    }

    /// The rows in some columns, piece by piece: at least one piece, the first possibly without rows.
    pub fn pieces(self, columns: &Columns) -> Pieces {
        let mut roles = vec![Role::default(); self.place.header.n_columns()];
        for (slot, &column) in columns.numbers.iter().enumerate() {
            roles[column].number = Some(slot);
        }
        // The same column may be asked for twice.
        let mut texts: Vec<usize> = Vec::new();
        for &column in &columns.texts {
            if roles[column].text.is_none() {
                roles[column].text = Some(texts.len());
                texts.push(column);
            }
        }
        Pieces {
            format: Format {
                separator: self.separator,
                roles,
                n_numbers: columns.numbers.len(),
                n_texts: texts.len(),
            },
            place: Arc::new(self.place),
            numbers: columns.numbers.as_slice().into(),
            texts: texts.into(),
            blocks: self.blocks,
            block: self.block,
            part: self.part,
            n_rows: 0,
            started: false,
            done: false,
        }
    }

    /// All rows in some columns.
    pub fn whole(self, columns: &Columns) -> Result<Piece, Failure> {
        let mut pieces = self.pieces(columns);
        let mut whole = pieces.first()?;
        for piece in pieces {
            whole.append(piece?);
        }
        Ok(whole)
    }
}

fn read_header(blocks: &mut Blocks<Box<dyn Read + Send>>) -> Result<(Header, u8), Failure> {
    let cannot_be_read = |reason| Failure::new(format_args!("cannot be read: {reason}"));
    let mut size = 64 << 10;
    blocks.peek(size).map_err(cannot_be_read)?;
    let before = header::before_header(blocks.peek(size).map_err(cannot_be_read)?);
    blocks.skip(before);
    loop {
        let at_end = blocks.at_end();
        let bytes = blocks.peek(size).map_err(cannot_be_read)?;
        header::check_start(bytes)?;
        if let Some(line) = header_line(bytes, at_end) {
            let separator = header::separator(line);
            let mut records = Records::new(bytes, separator);
            let header = records.next().map(|record| Header::new(record.cells()));
            // The parser may leave the second byte of the end of line.
            let mut read = records.position();
            if bytes[..read].ends_with(b"\r") && bytes.get(read) == Some(&b'\n') {
                read += 1;
            }
            let header = header.transpose()?;
            if let Some(header) = header.filter(|_| read < bytes.len() || at_end) {
                blocks.skip(read);
                return Ok((header, separator));
            }
        }
        if at_end {
            return Err(Failure::new(
                "empty: expected a header row with column names",
            ));
        }
        size *= 2;
    }
}

/// The first line that is not empty, whatever is in quotes; `None` where more must be read to know.
fn header_line(bytes: &[u8], at_end: bool) -> Option<&[u8]> {
    let start = bytes.iter().position(|byte| !b"\r\n".contains(byte))?;
    let mut in_quotes = false;
    let end = bytes[start..].iter().position(|&byte| {
        in_quotes ^= byte == b'"';
        !in_quotes && b"\r\n".contains(&byte)
    });
    match end {
        Some(length) => Some(&bytes[start..start + length]),
        None => at_end.then(|| &bytes[start..]),
    }
}

/// The rows of a table, piece by piece.
pub struct Pieces {
    place: Arc<Place>,
    numbers: Arc<[usize]>,
    texts: Arc<[usize]>,
    format: Format,
    blocks: Blocks<Box<dyn Read + Send>>,
    block: usize,
    part: usize,
    /// Rows so far.
    n_rows: usize,
    started: bool,
    done: bool,
}

impl Pieces {
    /// The table that is read.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The next piece, of which there is at least one.
    fn first(&mut self) -> Result<Piece, Failure> {
        let piece = self.read();
        piece.map(|piece| piece.unwrap_or_else(|| self.piece(Rows::new(&self.format))))
    }

    fn read(&mut self) -> Result<Option<Piece>, Failure> {
        let block = self
            .blocks
            .next(self.format.separator, self.block, self.part)
            .map_err(|reason| Failure::new(format_args!("cannot be read: {reason}")))
            .in_file(self.place.file())?;
        let rows = match block {
            None => return Ok(None),
            Some(Ok(block)) => self.parse(&block)?,
            Some(Err(_)) => {
                let what = "or below: a quote begins a cell that never ends";
                return Err(self.place.row(self.n_rows, what));
            }
        };
        let piece = self.piece(rows);
        self.n_rows += piece.n_rows();
        Ok(Some(piece))
    }

    fn parse(&self, block: &Block) -> Result<Rows, Failure> {
        let (parts, format) = (block.parts(), &self.format);
        let parsed = parallel::map(parts.len(), |i| Rows::parse(parts[i], format));
        let mut rows: Option<Rows> = None;
        for part in parsed {
            let before = rows.as_ref().map_or(0, |rows| rows.n_rows);
            let part = part.map_err(|bad| self.bad_row(&bad.below(self.n_rows + before)))?;
            match &mut rows {
                None => rows = Some(part),
                Some(rows) => rows.append(part),
            }
        }
        Ok(rows.unwrap_or_else(|| Rows::new(&self.format)))
    }

    fn bad_row(&self, bad: &BadRow) -> Failure {
        match *bad {
            BadRow::Cells { row, n } => {
                let expected = self.place.header.n_columns();
                let what = format!("{n} cells: expected {expected}, as in the header");
                let failure = self.place.row(row, &what);
                match n == expected + 1 && row == 0 {
                    true => failure.help("name every column, also one of row names"),
                    false => failure,
                }
            }
            BadRow::NotUtf8 { row, column } => {
                let what = format!(
                    "column `{}`: not UTF-8 text",
                    self.place.header.name(column)
                );
                self.place.row(row, &what).help(SAVE_AS_UTF8)
            }
        }
    }

    fn piece(&self, rows: Rows) -> Piece {
        Piece {
            place: self.place.clone(),
            numbers: self.numbers.clone(),
            texts: self.texts.clone(),
            rows,
            first_row: self.n_rows,
            end_byte: self.blocks.handed_out(),
        }
    }
}

impl Iterator for Pieces {
    type Item = Result<Piece, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let read = match self.started {
            false => self.first().map(Some),
            true => self.read(),
        };
        self.started = true;
        self.done = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}
