//! Results as text: cells of tables and of rows.

use super::table;

pub(crate) use xai_report::text::{coverage, decimals, interval, or_dash, with_arrow};

/// A cell for a value that may be undefined: empty then.
pub(crate) fn cell(value: Option<impl std::fmt::Display>) -> String {
    value.map(|x| x.to_string()).unwrap_or_default()
}

/// A class as the files call it: by its name, where it has one; empty where it is undefined.
pub(crate) fn class(label: Option<i64>, name: Option<&str>) -> String {
    name.map_or_else(|| cell(label), str::to_owned)
}

/// What is said of a search that does not find everybody.
pub(crate) fn approximate(recall: Option<f64>) -> String {
    recall.map_or_else(String::new, |recall| {
        format!("; approximate search, recall {:.1} %", 100.0 * recall)
    })
}

/// A table for people, as wide as the terminal at most, if there is one.
pub(crate) fn table<R, C>(header: &[&str], rows: impl IntoIterator<Item = R>) -> String
where
    R: IntoIterator<Item = C>,
    C: std::fmt::Display,
{
    let stdout = console::Term::stdout();
    let size = stdout.is_term().then(|| stdout.size_checked()).flatten();
    table::within(size.map(|(_, columns)| columns), header, rows)
}
