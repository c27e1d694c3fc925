//! Tables with captions, headers for screen readers, and exact values for sorting and checking.

use maud::{Markup, html};

use crate::estimate::Estimate;
use crate::markup::{name, number};
use crate::text::DASH;

/// Largest number of rows that a table shows.
pub(crate) const MAX_ROWS: usize = 60;

/// Number of columns from which a table may be wider than the page and gets a scrollbar.
const WIDE: usize = 4;

#[derive(Debug, Clone)]
pub(crate) struct Table {
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    n_left_out: usize,
    is_sortable: bool,
}

#[derive(Debug, Clone)]
struct Column {
    head: Markup,
    /// CSS class of its cells: `n` for numbers, `w` for words.
    class: &'static str,
}

/// A table cell.
///
/// [`row!`] converts values to cells by type: text, numbers (`Option<f64>`), counts (`u64`),
/// positions in a file (`usize`), estimates and intervals.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    content: Markup,
    /// Exact value of a numeric cell: empty if it is undefined, and `None` for text.
    value: Option<String>,
    class: &'static str,
}

/// Creates a row of cells.
macro_rules! row {
    ($($cell:expr),* $(,)?) => {
        vec![$($crate::markup::Cell::from($cell)),*]
    };
}
pub(crate) use row;

impl Table {
    /// Creates a table without columns and rows.
    pub(crate) fn new(caption: impl Into<String>) -> Self {
        Self {
            caption: caption.into(),
            columns: Vec::new(),
            rows: Vec::new(),
            n_left_out: 0,
            is_sortable: true,
        }
    }

    /// Adds columns of words.
    pub(crate) fn words<H: AsRef<str>>(self, heads: impl IntoIterator<Item = H>) -> Self {
        heads
            .into_iter()
            .fold(self, |table, head| table.column(name(head.as_ref()), "w"))
    }

    /// Adds columns of numbers.
    pub(crate) fn numbers<H: AsRef<str>>(self, heads: impl IntoIterator<Item = H>) -> Self {
        heads
            .into_iter()
            .fold(self, |table, head| table.number(name(head.as_ref())))
    }

    /// Adds a column of numbers whose header has markup.
    pub(crate) fn number(self, head: Markup) -> Self {
        self.column(head, "n")
    }

    fn column(mut self, head: Markup, class: &'static str) -> Self {
        self.columns.push(Column { head, class });
        self
    }

    /// Disables sorting, for rows with a meaningful order.
    pub(crate) fn unsorted(mut self) -> Self {
        self.is_sortable = false;
        self
    }

    /// Adds rows, at most [`MAX_ROWS`], and counts the others.
    pub(crate) fn rows(mut self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        for row in rows {
            if self.rows.len() < MAX_ROWS {
                self.rows.push(row);
            } else {
                self.n_left_out += 1;
            }
        }
        self
    }

    /// Adds to the number of rows that are not shown.
    pub(crate) fn without(mut self, n_left_out: usize) -> Self {
        self.n_left_out += n_left_out;
        self
    }

    /// Renders the table. `label` is its name on the page, for example `Table 3`. The caption stays
    /// visible when a wide table is scrolled.
    pub(crate) fn draw(&self, label: &str) -> Markup {
        let is_wide = self.columns.len() >= WIDE;
        let about = is_wide.then(|| format!("{label}: {}", self.caption));
        let class = if is_wide { "scroll" } else { "narrow" };
        let n_more = number::counted(self.n_left_out as u64, "more row is", "more rows are");
        html! {
            div class=(class) tabindex=[is_wide.then_some(0)] role=[is_wide.then_some("region")] aria-label=[about] {
                table class=(if self.is_sortable { "sortable" } else { "plain" }) {
                    caption { span.caption {
                        b { (label) ". " } (name(&self.caption))
                        @if self.n_left_out > 0 {
                            ". " (n_more) " not shown here; see report.json."
                        }
                    } }
                    thead { tr { @for column in &self.columns {
                        th class=(column.class) scope="col" { (column.head) }
                    } } }
                    tbody { @for row in &self.rows { tr {
                        @for (index, (cell, column)) in row.iter().zip(&self.columns).enumerate() {
                            @let class = format!("{} {}", column.class, cell.class);
                            @if index == 0 {
                                th class=(class.trim()) scope="row" data-value=[&cell.value] { (cell.content) }
                            } @else {
                                td class=(class.trim()) data-value=[&cell.value] { (cell.content) }
                            }
                        }
                    } } }
                }
            }
        }
    }
}

impl Cell {
    fn new(content: Markup, value: Option<String>) -> Self {
        Self {
            content,
            value,
            class: "",
        }
    }

    fn numeric(shown: &str, value: impl ToString) -> Self {
        Self::new(html! { span { (shown) } }, Some(value.to_string()))
    }

    fn undefined() -> Self {
        Self::new(undefined(), Some(String::new()))
    }

    /// Creates a numeric cell with its own format.
    pub(crate) fn shown_as(value: Option<f64>, show: impl Fn(f64) -> String) -> Self {
        number::finite(value)
            .map_or_else(Self::undefined, |value| Self::numeric(&show(value), value))
    }

    /// Creates a cell with a number in the units of the data.
    pub(crate) fn in_own_units(value: impl Into<Option<f64>>) -> Self {
        Self::shown_as(value.into(), number::in_own_units)
    }

    /// Creates an empty cell in a column of numbers.
    pub(crate) fn empty() -> Self {
        Self::numeric("", "")
    }

    /// Adds a small line of text below.
    pub(crate) fn note(mut self, text: impl AsRef<str>) -> Self {
        self.content = html! { div { (self.content) small.note { (text.as_ref()) } } };
        self
    }

    /// Sets the CSS class.
    pub(crate) fn class(mut self, class: &'static str) -> Self {
        self.class = class;
        self
    }
}

impl<T: AsRef<str> + ?Sized> From<&T> for Cell {
    fn from(text: &T) -> Self {
        Self::new(name(text.as_ref()), None)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::from(&text)
    }
}

/// A number with four decimals.
impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        Self::shown_as(value, number::decimals)
    }
}

/// A count.
impl From<u64> for Cell {
    fn from(n: u64) -> Self {
        Self::numeric(&number::count(n), n)
    }
}

/// A position in a file, from 0.
impl From<usize> for Cell {
    fn from(index: usize) -> Self {
        Self::numeric(&index.to_string(), index)
    }
}

/// An interval, sorted by its lower end.
impl From<Option<[f64; 2]>> for Cell {
    fn from(ends: Option<[f64; 2]>) -> Self {
        ends.map_or_else(Self::undefined, |ends| {
            Self::numeric(&number::interval(ends), ends[0])
        })
    }
}

/// A value, with its interval, a warning about few values and the number of undefined values below.
impl From<Estimate> for Cell {
    fn from(estimate: Estimate) -> Self {
        let mut cell = Self::from(estimate.value);
        if let Some(ends) = estimate.interval {
            cell = cell.note(number::interval(ends));
        }
        if estimate.small_sample {
            cell = cell.note("few values: covers less often than its level says");
        }
        if estimate.n_undefined == 0 {
            return cell;
        }
        let (n, all) = (estimate.n_undefined, estimate.n + estimate.n_undefined);
        cell.note(format!(
            "{} of {} undefined",
            number::count(n),
            number::count(all)
        ))
    }
}

/// Renders a dash that screen readers read as “undefined”.
pub(crate) fn undefined() -> Markup {
    html! { span.undefined role="img" aria-label="undefined" { (DASH) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_exact_value_and_undefined_ones_none() {
        let table = Table::new("T")
            .words(["a"])
            .numbers(["b"])
            .rows([row!["<x>", Some(0.1 + 0.2)], row!["y", Some(f64::NAN)]]);
        let html = table.draw("Table 1").into_string();
        assert!(html.contains(
            "<td class=\"n\" data-value=\"0.30000000000000004\"><span>0.3000</span></td>"
        ));
        assert!(html.contains("data-value=\"\"><span class=\"undefined\" role=\"img\" aria-label=\"undefined\">–</span>"));
        assert!(html.contains("<th class=\"w\" scope=\"row\"><bdi>&lt;x&gt;</bdi></th>"));
    }

    #[test]
    fn truncated_tables_report_the_number_of_omitted_rows() {
        let rows = (0..100_usize).map(|i| row![i]);
        let html = Table::new("T").numbers(["a"]).rows(rows).draw("Table 1");
        let html = html.into_string();
        assert!(html.contains("40 more rows are not shown"));
        assert_eq!(html.matches("scope=\"row\"").count(), MAX_ROWS);
    }
}
