//! Summary of the cells of a column of numbers.

use super::cell::NonNumber;

/// A cell that is not a finite number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonNumberCell {
    /// Row of the cell among the rows that the tally covers (those of a piece, for example), counted from 0.
    pub row: usize,
    /// Line of the file, counted from 1.
    pub line: u64,
    /// The text of the cell.
    pub text: Box<str>,
    /// The reason why it is not a finite number.
    pub kind: NonNumber,
}

/// The number of numeric cells of a column, and the first cell of each other kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// Number of numbers, including booleans and codes.
    n_numbers: usize,
    n_booleans: usize,
    n_codes: usize,
    /// Number of whole numbers of at least 0, which may be codes without leading zeros.
    n_whole: usize,
    /// The first cell of each kind of [`NonNumber`].
    first: [Option<Box<NonNumberCell>>; 6],
}

/// Contents of a whole column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Contents<'a> {
    /// Numbers, with the first cell that is missing.
    Numbers {
        /// The first missing cell.
        missing: Option<&'a NonNumberCell>,
    },
    /// The first cell that is not a finite number, in a column that is neither text nor codes.
    Mixed(&'a NonNumberCell),
    /// Text and no numbers, except codes with leading zeros.
    Words,
    /// Whole numbers of which some have leading zeros, such as zip codes.
    Codes,
    /// No value in any row.
    Nothing,
}

impl Tally {
    pub(super) fn number(&mut self, number: f64) {
        self.n_numbers += 1;
        self.n_whole += usize::from(number.fract() == 0.0 && number >= 0.0);
    }

    /// Adds a cell of True or False. It counts as a number if all cells of the column are True or False.
    pub(super) fn boolean(&mut self, row: usize, line: u64, text: &[u8]) {
        self.n_numbers += 1;
        self.n_booleans += 1;
        self.non_number(NonNumber::Boolean, row, line, text);
    }

    pub(super) fn code(&mut self, row: usize, line: u64, text: &[u8]) {
        self.n_numbers += 1;
        self.n_codes += 1;
        self.non_number(NonNumber::Code, row, line, text);
    }

    pub(super) fn non_number(&mut self, kind: NonNumber, row: usize, line: u64, text: &[u8]) {
        self.first[kind as usize].get_or_insert_with(|| {
            let text = String::from_utf8_lossy(text.trim_ascii()).into();
            Box::new(NonNumberCell {
                row,
                line,
                text,
                kind,
            })
        });
    }

    /// Adds the tally of later rows, whose row 0 is row `first_row` of this tally.
    pub fn append(&mut self, below: Self, first_row: usize) {
        self.n_numbers += below.n_numbers;
        self.n_booleans += below.n_booleans;
        self.n_codes += below.n_codes;
        self.n_whole += below.n_whole;
        for (first, cell) in self.first.iter_mut().zip(below.first) {
            if let (None, Some(mut cell)) = (&first, cell) {
                cell.row += first_row;
                *first = Some(cell);
            }
        }
    }

    fn first(&self, kind: NonNumber) -> Option<&NonNumberCell> {
        self.first[kind as usize].as_deref()
    }

    /// The first cell that is neither a finite number nor missing. Booleans are invalid if there are other numbers,
    /// and codes are always invalid.
    pub fn first_invalid(&self) -> Option<&NonNumberCell> {
        use NonNumber::{Boolean, Code, Formatted, Infinite, Word};
        let is_mixed = self.n_booleans < self.n_numbers;
        let kinds = [Infinite, Formatted, Word, Code, Boolean];
        let invalid_kinds = kinds
            .into_iter()
            .filter(|kind| *kind != Boolean || is_mixed);
        let cells = invalid_kinds.filter_map(|kind| self.first(kind));
        cells.min_by_key(|cell| cell.row)
    }

    /// The first missing cell.
    pub fn first_missing(&self) -> Option<&NonNumberCell> {
        self.first(NonNumber::Missing)
    }

    /// Classifies the column. A column with words, and without any number except codes, is text: names, dates or
    /// identifiers.
    pub fn contents(&self) -> Contents<'_> {
        let word = self.first(NonNumber::Word);
        let only_codes = self.n_codes > 0 && self.n_codes + self.n_whole == self.n_numbers;
        match self.first_invalid() {
            Some(_) if word.is_some() && self.n_numbers == self.n_codes => Contents::Words,
            Some(NonNumberCell {
                kind: NonNumber::Code,
                ..
            }) if only_codes && word.is_none() => Contents::Codes,
            Some(cell) => Contents::Mixed(cell),
            None if self.n_numbers == 0 => Contents::Nothing,
            None => Contents::Numbers {
                missing: self.first_missing(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(cells: &[Option<NonNumber>]) -> Tally {
        let mut tally = Tally::default();
        for (row, cell) in cells.iter().enumerate() {
            match cell {
                None => tally.number(1.0),
                Some(NonNumber::Boolean) => tally.boolean(row, 0, b"True"),
                Some(NonNumber::Code) => tally.code(row, 0, b"007"),
                Some(kind) => tally.non_number(*kind, row, 0, b"x"),
            }
        }
        tally
    }

    #[test]
    fn the_type_of_a_column_follows_its_cells() {
        use NonNumber::{Boolean, Code, Formatted, Infinite, Missing, Word};
        let contents = |cells: &[Option<NonNumber>]| match tally(cells).contents() {
            Contents::Numbers { missing } => ("numbers", missing.map(|cell| cell.row)),
            Contents::Mixed(cell) => ("mixed", Some(cell.row)),
            Contents::Words => ("words", None),
            Contents::Codes => ("codes", None),
            Contents::Nothing => ("nothing", None),
        };
        assert_eq!(contents(&[None, None]), ("numbers", None));
        assert_eq!(contents(&[None, Some(Missing)]), ("numbers", Some(1)));
        assert_eq!(contents(&[Some(Word), None]), ("mixed", Some(0)));
        assert_eq!(
            contents(&[None, Some(Infinite), Some(Word)]),
            ("mixed", Some(1))
        );
        assert_eq!(
            contents(&[Some(Formatted), Some(Formatted)]),
            ("mixed", Some(0))
        );
        assert_eq!(
            contents(&[Some(Word), Some(Formatted), Some(Missing)]),
            ("words", None)
        );
        assert_eq!(contents(&[Some(Missing)]), ("nothing", None));
        assert_eq!(contents(&[Some(Boolean), Some(Boolean)]), ("numbers", None));
        assert_eq!(contents(&[None, Some(Boolean)]), ("mixed", Some(1)));
        assert_eq!(
            contents(&[None, Some(Code), Some(Missing)]),
            ("codes", None)
        );
        assert_eq!(contents(&[Some(Code), Some(Word)]), ("words", None));
        assert_eq!(
            contents(&[Some(Code), None, Some(Word)]),
            ("mixed", Some(0))
        );
        let mut beside_fractions = tally(&[Some(Code), None]);
        beside_fractions.number(0.5);
        assert!(matches!(beside_fractions.contents(), Contents::Mixed(_)));
        let mut whole = tally(&[None, Some(Missing)]);
        whole.append(tally(&[Some(Missing), Some(Word)]), 2);
        assert_eq!(
            whole,
            tally(&[None, Some(Missing), Some(Missing), Some(Word)])
        );
    }
}
