//! Formatting of results as cells of tables and rows.

use super::table;

pub(crate) use xai_report::text::{coverage, decimals, interval, or_dash, with_arrow};

/// Formats a value as a cell of a row; an undefined value is an empty cell.
pub(crate) fn cell(value: Option<impl std::fmt::Display>) -> String {
    value.map(|x| x.to_string()).unwrap_or_default()
}

/// Formats a class by its name in the files, or by its number if it has no name. An undefined class is empty.
pub(crate) fn class(label: Option<i64>, name: Option<&str>) -> String {
    name.map_or_else(|| cell(label), str::to_owned)
}

/// Formats the remark on an approximate search; empty for an exact one.
pub(crate) fn approximate(recall: Option<f64>) -> String {
    recall.map_or_else(String::new, |recall| {
        format!("; approximate search, recall {:.1} %", 100.0 * recall)
    })
}

/// Formats a table for people, fitted to the width of the terminal if there is one.
pub(crate) fn table<R, C>(header: &[&str], rows: impl IntoIterator<Item = R>) -> String
where
    R: IntoIterator<Item = C>,
    C: std::fmt::Display,
{
    let stdout = console::Term::stdout();
    let size = stdout.is_term().then(|| stdout.size_checked()).flatten();
    table::within(size.map(|(_, columns)| columns), header, rows)
}
