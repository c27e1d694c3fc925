//! Text, tables and elements of the page, in which nothing from a file can act.

pub(crate) mod element;
pub(crate) mod number;
pub(crate) mod table;

pub(crate) use element::{Element, Markup, name, path, place};
pub(crate) use table::{Cell, MOST_ROWS, Table, undefined};
