//! Where results go: a table or JSON on standard output, rows to a file.

pub(crate) mod rows;
pub(crate) mod stdout;
pub(crate) mod text;
pub(crate) mod visible;
pub(crate) mod whole_file;
