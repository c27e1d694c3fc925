//! Columns of a table that nobody uses.

use std::path::PathBuf;

use serde::Serialize;

use crate::context::Context;

/// A column that is not used although nobody gave it another role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    /// The table.
    #[serde(skip)]
    pub(crate) file: PathBuf,
    pub(crate) column: String,
    pub(crate) reason: Reason,
}

/// Why a column is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reason {
    /// It has no name, as the index has that pandas writes.
    Unnamed,
    /// It holds words, not one number.
    Text,
    /// It holds no value.
    Empty,
    /// It was asked to be left out.
    Dropped,
}

impl Reason {
    /// For a person.
    fn words(self) -> &'static str {
        match self {
            Self::Unnamed => "no name, as an index has",
            Self::Text => "text",
            Self::Empty => "no value",
            Self::Dropped => "as asked",
        }
    }
}

impl LeftOut {
    /// For a person.
    pub(crate) fn words(&self) -> String {
        format!("`{}` ({})", self.column, self.reason.words())
    }
}

/// What leaves a column out.
pub(crate) fn drop_column(column: &str) -> String {
    format!("--drop-column '{column}'")
}

/// Which columns are not used although nobody asked for that, a remark per file.
pub(crate) fn remarks(left_out: &[LeftOut]) -> Vec<String> {
    let of_files = left_out.chunk_by(|a, b| a.file == b.file);
    let remark = |of_file: &[LeftOut]| {
        let unasked = of_file.iter().filter(|left| left.reason != Reason::Dropped);
        let columns: Vec<String> = unasked.map(LeftOut::words).collect();
        let file = of_file.first()?.file.display();
        let columns = (!columns.is_empty()).then(|| columns.join(", "))?;
        Some(format!("{file}: columns left out: {columns}"))
    };
    of_files.filter_map(remark).collect()
}

/// Says these [remarks] on standard error.
pub(crate) fn remark(left_out: &[LeftOut], context: &Context) {
    for remark in remarks(left_out) {
        context.remark(remark);
    }
}
