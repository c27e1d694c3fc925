//! Tables from `.csv` files with a header row.
//!
//! A file is read once from start to end, a block of whole records at a time, and the cells of a block
//! are parsed on all threads. What a column is (a feature, a class, text) is said by the caller before
//! the first row is read; no row is kept as text that is wanted as numbers.

mod blocks;
pub(crate) mod cell;
mod chunk;
mod csv_file;
mod encoding;
pub(crate) mod header;
pub(crate) mod piece;
pub(crate) mod place;
pub(crate) mod tally;
pub(crate) mod text_column;

pub(crate) use csv_file::{Columns, Pieces, Table};
pub(crate) use piece::Piece;
