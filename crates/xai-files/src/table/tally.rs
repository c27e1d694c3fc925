//! What the cells of a column of numbers are.

use super::cell::NonNumber;

/// A cell that is no finite number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonNumberCell {
    /// The row, counted from 0 below the header.
    pub row: usize,
    /// What stands in it.
    pub text: Box<str>,
    /// Why it is no finite number.
    pub kind: NonNumber,
}

/// How many cells were numbers, and the first one of each other kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    /// True and False among them.
    n_numbers: usize,
    n_booleans: usize,
    boolean: Option<Box<NonNumberCell>>,
    missing: Option<Box<NonNumberCell>>,
    infinite: Option<Box<NonNumberCell>>,
    written: Option<Box<NonNumberCell>>,
    word: Option<Box<NonNumberCell>>,
}

/// What a column holds, as a whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Contents<'a> {
    /// Numbers, with the first cell that is missing.
    Numbers {
        /// The first missing cell.
        missing: Option<&'a NonNumberCell>,
    },
    /// Numbers but for a cell that is none.
    Mixed(&'a NonNumberCell),
    /// Words, not one number.
    Words,
    /// No value in any row.
    Nothing,
}

impl Tally {
    pub(super) fn number(&mut self) {
        self.n_numbers += 1;
    }

    /// A cell of True or False, which is a number where all are such.
    pub(super) fn boolean(&mut self, row: usize, text: &[u8]) {
        self.n_numbers += 1;
        self.n_booleans += 1;
        self.non_number(NonNumber::Boolean, row, text);
    }

    pub(super) fn non_number(&mut self, kind: NonNumber, row: usize, text: &[u8]) {
        let first = self.first(kind);
        if first.is_none() {
            let text = String::from_utf8_lossy(text.trim_ascii()).into();
            *first = Some(Box::new(NonNumberCell { row, text, kind }));
        }
    }

    fn first(&mut self, kind: NonNumber) -> &mut Option<Box<NonNumberCell>> {
        match kind {
            NonNumber::Missing => &mut self.missing,
            NonNumber::Infinite => &mut self.infinite,
            NonNumber::Written => &mut self.written,
            NonNumber::Word => &mut self.word,
            NonNumber::Boolean => &mut self.boolean,
        }
    }

    /// Adds what is known of `first_row` rows further down.
    pub fn append(&mut self, below: Self, first_row: usize) {
        self.n_numbers += below.n_numbers;
        self.n_booleans += below.n_booleans;
        let cells = [
            below.missing,
            below.infinite,
            below.written,
            below.word,
            below.boolean,
        ];
        for mut cell in cells.into_iter().flatten() {
            let first = self.first(cell.kind);
            if first.is_none() {
                cell.row += first_row;
                *first = Some(cell);
            }
        }
    }

    /// The first cell that is not a finite number, missing ones apart; True and False among numbers are none.
    pub fn first_wrong(&self) -> Option<&NonNumberCell> {
        let is_mixed = self.n_booleans < self.n_numbers;
        let boolean = self.boolean.as_deref().filter(|_| is_mixed);
        let kinds = [&self.infinite, &self.written, &self.word];
        let cells = kinds.into_iter().filter_map(|cell| cell.as_deref());
        let cells = cells.chain(boolean);
        cells.min_by_key(|cell| cell.row)
    }

    /// The first missing cell.
    pub fn first_missing(&self) -> Option<&NonNumberCell> {
        self.missing.as_deref()
    }

    /// What the column is. One without a single number, nor anything that is written like one, holds
    /// words: a name, a date, an identifier.
    pub fn contents(&self) -> Contents<'_> {
        match self.first_wrong() {
            Some(_) if self.n_numbers == 0 && self.word.is_some() => Contents::Words,
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
                None => tally.number(),
                Some(NonNumber::Boolean) => tally.boolean(row, b"True"),
                Some(kind) => tally.non_number(*kind, row, b"x"),
            }
        }
        tally
    }

    #[test]
    fn a_column_is_what_its_cells_are() {
        use NonNumber::{Boolean, Infinite, Missing, Word, Written};
        let contents = |cells: &[Option<NonNumber>]| match tally(cells).contents() {
            Contents::Numbers { missing } => ("numbers", missing.map(|cell| cell.row)),
            Contents::Mixed(cell) => ("mixed", Some(cell.row)),
            Contents::Words => ("words", None),
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
            contents(&[Some(Written), Some(Written)]),
            ("mixed", Some(0))
        );
        assert_eq!(
            contents(&[Some(Word), Some(Written), Some(Missing)]),
            ("words", None)
        );
        assert_eq!(contents(&[Some(Missing)]), ("nothing", None));
        assert_eq!(contents(&[Some(Boolean), Some(Boolean)]), ("numbers", None));
        assert_eq!(contents(&[None, Some(Boolean)]), ("mixed", Some(1)));
        let mut whole = tally(&[None, Some(Missing)]);
        whole.append(tally(&[Some(Missing), Some(Word)]), 2);
        assert_eq!(
            whole,
            tally(&[None, Some(Missing), Some(Missing), Some(Word)])
        );
    }
}
