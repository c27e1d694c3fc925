//! Tables from `.csv` files with a header row.
//!
//! The caller chooses the columns of numbers and of text before the first row is read. Rows are read in pieces, so
//! that a table can be larger than memory, and the numbers of a piece are parsed on all threads.

pub(crate) mod cell;
mod header;
mod piece;
mod reader;
mod tally;

pub use cell::NonNumber;
pub use header::Header;
pub use piece::{Piece, TableContext, TextColumn};
pub use reader::{Columns, Pieces, Table};
pub use tally::{Contents, NonNumberCell, Tally};
