//! Unused columns of a table, and the rule for index columns.

use std::path::PathBuf;

use serde::Serialize;

/// A column that is not used although it has no other role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The file of the table.
    #[serde(skip)]
    pub file: PathBuf,
    /// The name of the column.
    pub column: String,
    /// The reason.
    pub reason: Reason,
}

/// The reason why a column is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It is the [index](is_index) of a pandas data frame.
    Unnamed,
    /// It contains text and no numbers.
    Text,
    /// It contains codes: whole numbers of which some have leading zeros, such as zip codes.
    Codes,
    /// Its type is not numeric.
    NoNumbers,
    /// All its cells are missing.
    Empty,
    /// It has a different class in every row, like an index or a name, which no run predicts.
    Distinct,
    /// The user asked to leave it out.
    Dropped,
}

impl Reason {
    /// The reason in a message.
    fn words(self) -> &'static str {
        match self {
            Self::Unnamed => "the index of a table",
            Self::Text => "text",
            Self::Codes => "codes with leading zeros",
            Self::NoNumbers => "no numbers",
            Self::Empty => "no value",
            Self::Distinct => "another class in every row",
            Self::Dropped => "as asked",
        }
    }
}

impl LeftOut {
    /// The column and the reason, for a message.
    pub fn words(&self) -> String {
        format!("`{}` ({})", self.column, self.reason.words())
    }
}

/// Returns whether a column is the index of a pandas data frame: a column of CSV without a name; `Unnamed: 0` and
/// `Unnamed: 0.1`, the names after the file is read and written again; and `__index_level_0__`, the name in Parquet.
///
/// As a feature, the index would distinguish training rows by their position in the file, so it is left out and
/// reported.
///
/// ```
/// use xai_files::left_out::is_index;
/// assert!(is_index("") && is_index("Unnamed: 0.1") && is_index("__index_level_0__"));
/// assert!(!is_index("Unnamed: b") && !is_index("index"));
/// ```
pub fn is_index(name: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_number = |text: &str| text.split('.').all(is_digits);
    let level = name.strip_prefix("__index_level_");
    name.is_empty()
        || name.strip_prefix("Unnamed: ").is_some_and(is_number)
        || level
            .and_then(|rest| rest.strip_suffix("__"))
            .is_some_and(is_number)
}

/// Formats the option that leaves a column out, for advice.
pub fn drop_column(column: &str) -> String {
    format!("--drop-column '{column}'")
}

/// Formats a remark for each file on its unused columns, except those that the user dropped.
pub fn remarks(left_out: &[LeftOut]) -> Vec<String> {
    let by_file = left_out.chunk_by(|a, b| a.file == b.file);
    let remark = |columns: &[LeftOut]| {
        let unrequested = columns.iter().filter(|left| left.reason != Reason::Dropped);
        let names: Vec<String> = unrequested.map(LeftOut::words).collect();
        let file = columns.first()?.file.display();
        (!names.is_empty()).then(|| format!("{file}: columns left out: {}", names.join(", ")))
    };
    by_file.filter_map(remark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_left_out_by_default_are_reported() {
        let left_out = |file: &str, column: &str, reason| LeftOut {
            file: file.into(),
            column: column.to_owned(),
            reason,
        };
        let all = [
            left_out("a.csv", "Unnamed: 0", Reason::Unnamed),
            left_out("a.csv", "name", Reason::Text),
            left_out("a.csv", "age", Reason::Dropped),
            left_out("b.csv", "age", Reason::Dropped),
            left_out("c.csv", "empty", Reason::Empty),
        ];
        let expected = [
            "a.csv: columns left out: `Unnamed: 0` (the index of a table), `name` (text)",
            "c.csv: columns left out: `empty` (no value)",
        ];
        assert_eq!(remarks(&all), expected);
    }

    #[test]
    fn index_columns_are_distinguished_from_similar_names() {
        for name in [
            "",
            "Unnamed: 0",
            "Unnamed: 12",
            "Unnamed: 0.1.2",
            "__index_level_3__",
        ] {
            assert!(is_index(name), "{name}");
        }
        for name in [
            "Unnamed: ",
            "Unnamed: x",
            "Unnamed",
            "__index_level___",
            "__index_level_0",
            "id",
        ] {
            assert!(!is_index(name), "{name}");
        }
    }
}
