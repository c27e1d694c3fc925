//! Output of results: a table or JSON on standard output, and rows in a file.

pub(crate) mod intervals;
pub(crate) mod json_list;
pub(crate) mod overwriting;
pub(crate) mod progress;
pub(crate) mod rows;
pub(crate) mod stderr;
pub(crate) mod stdout;
pub(crate) mod style;
mod table;
pub(crate) mod text;
pub(crate) mod whole_file;
