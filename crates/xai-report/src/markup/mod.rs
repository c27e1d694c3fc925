//! Text, tables and elements of the page, in which nothing from a file can act.

pub(crate) mod element;
pub(crate) mod number;
pub(crate) mod table;
