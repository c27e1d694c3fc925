//! Tables from `.csv` files with a header row.
//!
//! A file is read once from start to end, a block of whole records at a time, and the cells of a block
//! are parsed on all threads. What a column is (a feature, a class, text) is said by the caller before
//! the first row is read; no row is kept as text that is wanted as numbers.

mod blocks;
pub(crate) mod cell;
mod chunk;
mod csv_file;
mod header;
mod piece;
mod tally;

pub use cell::NonNumber;
pub use chunk::TextColumn;
pub use csv_file::{Columns, Pieces, Table};
pub use header::Header;
pub use piece::Piece;
pub use piece::Place;
pub use tally::{Contents, NonNumberCell, Tally};
