//! Class tables of all pairs of runs, packed into bytes.

use crate::pair_metric::definition::Cell;

/// Class tables of all pairs of runs.
///
/// A table is stored row by row: the number of its rows, then for each row the distance to the previous one, the number
/// of its cells and their counts. Most cells follow the previous one directly. Others are preceded by a 0, which is no
/// count, and the number of columns to skip. Numbers have 7 bits per byte, as in LEB128, so that a cell usually takes
/// one or two bytes instead of the 16 of a [`Cell`].
///
/// Only [`encode`] writes these bytes, so that they need no checks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PackedTables {
    /// By first run, the tables of its pairs in the order of the second run.
    rows: Vec<Vec<u8>>,
}

impl PackedTables {
    /// Creates tables of `k` runs, to which [`append`](Self::append) adds.
    pub(super) fn new(k: usize) -> Self {
        Self {
            rows: vec![Vec::new(); k],
        }
    }

    /// Appends encoded tables of the next pairs of a first run.
    pub(super) fn append(&mut self, first: usize, encoded: &[u8]) {
        self.rows[first].extend_from_slice(encoded);
    }

    /// Frees memory that was reserved for further tables.
    pub(super) fn shrink_to_fit(&mut self) {
        self.rows.iter_mut().for_each(Vec::shrink_to_fit);
    }

    /// The tables of the pairs of a first run, in the order of the second run; empty if there are no tables.
    pub(super) fn pairs_of(&self, first: usize) -> Tables<'_> {
        Tables(self.rows.get(first).map_or(&[], Vec::as_slice))
    }

    /// Adds the counts of the same pairs. `codes` and `other_codes` are the new codes of the classes of both, in
    /// ascending order.
    pub(super) fn merge(&mut self, other: Self, codes: &[u32], other_codes: &[u32]) {
        let (mut cells, mut more) = (Vec::new(), Vec::new());
        for (mine, theirs) in self.rows.iter_mut().zip(other.rows) {
            let mut merged = Vec::with_capacity(mine.len().max(theirs.len()));
            let (mut my_tables, mut their_tables) = (Tables(mine), Tables(&theirs));
            while my_tables.read(&mut cells) && their_tables.read(&mut more) {
                recode(&mut cells, codes);
                recode(&mut more, other_codes);
                cells.append(&mut more);
                // Sorting brings the two counts of a common cell next to each other.
                cells.sort_unstable();
                cells.dedup_by(|cell, kept| {
                    let same = (cell.row, cell.column) == (kept.row, kept.column);
                    if same {
                        kept.count += cell.count;
                    }
                    same
                });
                encode(&cells, &mut merged);
            }
            // The tables of both together are usually larger than the merged ones.
            merged.shrink_to_fit();
            *mine = merged;
        }
    }
}

fn recode(cells: &mut [Cell], codes: &[u32]) {
    for cell in cells {
        cell.row = codes[cell.row as usize];
        cell.column = codes[cell.column as usize];
    }
}

/// Encoded tables, read one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tables<'a>(&'a [u8]);

impl Tables<'_> {
    /// Replaces `cells` by those of the next table, in ascending order; false after the last table.
    pub(super) fn read(&mut self, cells: &mut Vec<Cell>) -> bool {
        cells.clear();
        if self.0.is_empty() {
            return false;
        }
        let mut row = 0;
        for _ in 0..self.number() {
            row += self.number();
            let mut column = 0;
            for _ in 0..self.number() {
                let mut count = self.number();
                // A cell is only stored with a count of at least 1, so 0 announces skipped columns.
                if count == 0 {
                    column += self.number();
                    count = self.number();
                }
                cells.push(Cell {
                    row: row as u32,
                    column: column as u32,
                    count,
                });
                column += 1;
            }
        }
        true
    }

    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        // The lowest seven bits come first. The highest bit of a byte tells that another one follows.
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        number
    }
}

/// Appends a table to `bytes`. Its cells must be in ascending order, each once, with counts of at least 1.
pub(super) fn encode(cells: &[Cell], bytes: &mut Vec<u8>) {
    let rows = || cells.chunk_by(|a, b| a.row == b.row);
    // Two passes over the cells instead of a length that is written afterwards, because its number of bytes varies.
    push(bytes, rows().count() as u64);
    let mut previous_row = 0;
    for cells in rows() {
        let row = cells[0].row;
        push(bytes, u64::from(row - previous_row));
        previous_row = row;
        push(bytes, cells.len() as u64);
        let mut next_column = 0;
        for cell in cells {
            let column = u64::from(cell.column);
            if column > next_column {
                push(bytes, 0);
                push(bytes, column - next_column);
            }
            push(bytes, cell.count);
            next_column = column + 1;
        }
    }
}

fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(feature = "serde")]
pub(super) use serialization::UnsplitTables;

#[cfg(feature = "serde")]
mod serialization {
    use super::{PackedTables, Tables, encode};
    use crate::counting::pair_tiles::n_pairs;
    use crate::input;
    use crate::pair_metric::definition::Cell;
    use serde::de::{Error as _, SeqAccess, Visitor};
    use serde::ser::SerializeSeq;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::fmt;
    use xai_core::Error;

    /// Serialises one list of cells per pair.
    impl Serialize for PackedTables {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut sequence = serializer.serialize_seq(Some(n_pairs(self.rows.len())))?;
            let mut cells = Vec::new();
            for first in 0..self.rows.len() {
                let mut tables = self.pairs_of(first);
                while tables.read(&mut cells) {
                    sequence.serialize_element(&cells)?;
                }
            }
            sequence.end()
        }
    }

    /// Deserialised tables of all pairs, one after the other.
    ///
    /// The number of runs, and with it the pairs of each first run, is known only after all fields of the state are
    /// read.
    pub(in crate::pairwise) struct UnsplitTables {
        bytes: Vec<u8>,
        n_tables: usize,
    }

    impl UnsplitTables {
        pub(in crate::pairwise) fn len(&self) -> usize {
            self.n_tables
        }

        pub(in crate::pairwise) fn tables(&self) -> Tables<'_> {
            Tables(&self.bytes)
        }

        /// Divides the tables by the first of `k` runs.
        pub(in crate::pairwise) fn split(self, k: usize) -> PackedTables {
            let (mut tables, mut cells) = (self.tables(), Vec::new());
            // Run `first` has a pair with each later run. Reading their tables finds where its bytes end.
            let row = |first: usize| {
                let start = tables.0;
                for _ in first + 1..k {
                    tables.read(&mut cells);
                }
                start[..start.len() - tables.0.len()].to_vec()
            };
            PackedTables {
                rows: (0..k).map(row).collect(),
            }
        }
    }

    impl<'de> Deserialize<'de> for UnsplitTables {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_seq(TablesVisitor)
        }
    }

    struct TablesVisitor;

    impl<'de> Visitor<'de> for TablesVisitor {
        type Value = UnsplitTables;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("one list of cells per pair of runs")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<UnsplitTables, A::Error> {
            let (mut bytes, mut n_tables) = (Vec::new(), 0);
            while let Some(cells) = sequence.next_element::<Vec<Cell>>()? {
                let position = |cell: &Cell| (cell.row, cell.column);
                let is_ascending = cells.is_sorted_by(|a, b| position(a) < position(b));
                if !is_ascending || cells.iter().any(|cell| cell.count == 0) {
                    let why = "cells of a class table that are empty or not in ascending order";
                    return Err(A::Error::custom(Error::corrupt(input::PAIRWISE_STATE, why)));
                }
                encode(&cells, &mut bytes);
                n_tables += 1;
            }
            Ok(UnsplitTables { bytes, n_tables })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table() -> impl Strategy<Value = Vec<Cell>> {
        let near = (0u32..4, 0u32..4, 1u64..300);
        let far = (any::<u32>(), any::<u32>(), 1..=u64::MAX);
        prop::collection::vec(prop_oneof![4 => near, 1 => far], 0..12).prop_map(|cells| {
            let cell = |(row, column, count)| Cell { row, column, count };
            let mut cells: Vec<Cell> = cells.into_iter().map(cell).collect();
            cells.sort_unstable();
            cells.dedup_by_key(|cell| (cell.row, cell.column));
            cells
        })
    }

    proptest! {
        #[test]
        fn tables_are_read_as_they_were_written(tables in prop::collection::vec(table(), 0..4)) {
            let mut bytes = Vec::new();
            for cells in &tables {
                encode(cells, &mut bytes);
            }
            let (mut packed, mut cells) = (Tables(&bytes), Vec::new());
            for expected in &tables {
                prop_assert!(packed.read(&mut cells));
                prop_assert_eq!(&cells, expected);
            }
            prop_assert!(!packed.read(&mut cells));
        }
    }
}
