//! Tables from `.csv` files with a header row.
//!
//! The caller says which columns are numbers and which are text before the first row is read. Rows come in pieces, so that a
//! table larger than memory can be read, and the numbers of a piece are parsed on all threads.

pub(crate) mod cell;
mod header;
mod piece;
mod reader;
mod tally;

pub use cell::NonNumber;
pub use header::Header;
pub use piece::{Piece, Place, TextColumn};
pub use reader::{Columns, Pieces, Table};
pub use tally::{Contents, NonNumberCell, Tally};
