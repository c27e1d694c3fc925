//! Results as text: cells of tables and of rows.

use xai_metrics::core::Direction;

use super::table::{self, UNDEFINED};

/// A cell for a value that may be undefined: empty then.
pub(crate) fn cell(value: Option<impl std::fmt::Display>) -> String {
    value.map(|x| x.to_string()).unwrap_or_default()
}

/// A class as the files call it: by its name, where it has one; empty where it is undefined.
pub(crate) fn class(label: Option<i64>, name: Option<&str>) -> String {
    name.map_or_else(|| cell(label), str::to_owned)
}

/// A value for a person, a dash where there is none.
pub(crate) fn or_dash(value: Option<impl std::fmt::Display>) -> String {
    value.map_or_else(|| UNDEFINED.to_owned(), |x| x.to_string())
}

/// Four decimals for a person, a dash where undefined.
pub(crate) fn decimals(value: Option<f64>) -> String {
    or_dash(value.map(four))
}

/// An interval for a person, a dash where undefined.
pub(crate) fn interval(ends: Option<[f64; 2]>) -> String {
    or_dash(ends.map(|[low, high]| format!("[{}, {}]", four(low), four(high))))
}

/// Four decimals; a number whose integer part is no longer exact as powers of ten.
fn four(x: f64) -> String {
    match x.is_finite() && x.abs() >= 1e16 {
        true => format!("{x:.4e}"),
        false => format!("{x:.4}"),
    }
}

/// What is said of a search that does not find everybody.
pub(crate) fn approximate(recall: Option<f64>) -> String {
    recall.map_or_else(String::new, |recall| {
        format!("; approximate search, recall {:.1} %", 100.0 * recall)
    })
}

/// The name of a metric with the arrow that says which values are better.
pub(crate) fn with_arrow(name: &str, better: Direction) -> String {
    match better {
        Direction::None => name.to_owned(),
        better => format!("{name} {}", better.arrow()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_length_that_a_person_reads() {
        assert_eq!(decimals(Some(-1234.56789)), "-1234.5679");
        assert_eq!(decimals(Some(1.7e308)), "1.7000e308");
        assert_eq!(interval(Some([0.5, -1e300])), "[0.5000, -1.0000e300]");
        assert_eq!(decimals(None), "–");
    }
}
