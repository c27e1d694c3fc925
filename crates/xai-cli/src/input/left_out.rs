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

/// What leaves a column out, in the words of the command line or of a study file.
pub(crate) type DropColumn = fn(&str) -> String;

/// The option of the commands.
pub(crate) const DROP_OPTION: DropColumn = |column| format!("--drop-column '{column}'");

/// The key of a study file.
pub(crate) const DROP_KEY: DropColumn = |column| format!("drop_columns = [\"{column}\"]");

/// Says which columns are not used although nobody asked for that.
pub(crate) fn remark(left_out: &[LeftOut], context: &Context) {
    for of_file in left_out.chunk_by(|a, b| a.file == b.file) {
        let unasked = of_file.iter().filter(|left| left.reason != Reason::Dropped);
        let columns: Vec<String> = unasked.map(LeftOut::words).collect();
        if !columns.is_empty() {
            let (file, columns) = (of_file[0].file.display(), columns.join(", "));
            context.remark(format_args!("{file}: columns left out: {columns}"));
        }
    }
}
