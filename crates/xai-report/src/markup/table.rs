//! Tables: with a caption, with heads for screen readers, with exact values for whoever sorts or checks.

use maud::{Markup, html};

use crate::estimate::Estimate;
use crate::markup::{name, number};
use crate::text::DASH;

/// Rows that a table shows at most.
pub(crate) const MOST_ROWS: usize = 60;

/// Columns from which a table may be wider than a page.
const WIDE: usize = 4;

/// A table.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// What it shows.
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    n_left_out: usize,
    is_sortable: bool,
}

#[derive(Debug, Clone)]
struct Column {
    head: Markup,
    /// The class of its cells: numbers or words.
    class: &'static str,
}

/// A cell. [`row!`] makes a row of anything that becomes one: text, a number (`Option<f64>`), a count (`u64`), a position in a file
/// (`usize`), an estimate or an interval.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    content: Markup,
    /// The exact value of a numeric cell, empty where it is undefined.
    value: Option<String>,
    class: &'static str,
}

/// A row of cells.
macro_rules! row {
    ($($cell:expr),* $(,)?) => {
        vec![$($crate::markup::Cell::from($cell)),*]
    };
}
pub(crate) use row;

impl Table {
    /// A table without columns and rows.
    pub(crate) fn new(caption: impl Into<String>) -> Self {
        Self {
            caption: caption.into(),
            columns: Vec::new(),
            rows: Vec::new(),
            n_left_out: 0,
            is_sortable: true,
        }
    }

    /// With columns of words.
    pub(crate) fn words<H: AsRef<str>>(self, heads: impl IntoIterator<Item = H>) -> Self {
        let heads = heads.into_iter();
        heads.fold(self, |table, head| table.column(name(head.as_ref()), "w"))
    }

    /// With columns of numbers.
    pub(crate) fn numbers<H: AsRef<str>>(self, heads: impl IntoIterator<Item = H>) -> Self {
        let heads = heads.into_iter();
        heads.fold(self, |table, head| table.number(name(head.as_ref())))
    }

    /// With a column of numbers whose head is more than words.
    pub(crate) fn number(self, head: Markup) -> Self {
        self.column(head, "n")
    }

    fn column(mut self, head: Markup, class: &'static str) -> Self {
        self.columns.push(Column { head, class });
        self
    }

    /// With rows whose order is all that they mean.
    pub(crate) fn unsorted(mut self) -> Self {
        self.is_sortable = false;
        self
    }

    /// With rows, as many as a table shows.
    pub(crate) fn rows(mut self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        for row in rows {
            if self.rows.len() < MOST_ROWS {
                self.rows.push(row);
            } else {
                self.n_left_out += 1;
            }
        }
        self
    }

    /// With a number of rows that were not even made.
    pub(crate) fn without(mut self, n_left_out: usize) -> Self {
        self.n_left_out += n_left_out;
        self
    }

    /// The table; `label` names it on the page: `Table 3`. Its caption stays in sight where it is moved aside.
    pub(crate) fn draw(&self, label: &str) -> Markup {
        let is_wide = self.columns.len() >= WIDE;
        let about = is_wide.then(|| format!("{label}: {}", self.caption));
        let class = if is_wide { "scroll" } else { "narrow" };
        let n_more = number::of_kind(self.n_left_out as u64, "more row is", "more rows are");
        html! {
            div class=(class) tabindex=[is_wide.then_some(0)] role=[is_wide.then_some("region")] aria-label=[about] {
                table class=(if self.is_sortable { "sortable" } else { "plain" }) {
                    caption { span.caption {
                        b { (label) ". " } (name(&self.caption))
                        @if self.n_left_out > 0 {
                            ". " (n_more) " not shown here; report.json has what the report keeps."
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

    /// A number that is shown in a way of its own.
    pub(crate) fn shown_as(value: Option<f64>, show: impl Fn(f64) -> String) -> Self {
        number::finite(value)
            .map_or_else(Self::undefined, |value| Self::numeric(&show(value), value))
    }

    /// A number in the units of the data.
    pub(crate) fn in_own_units(value: impl Into<Option<f64>>) -> Self {
        Self::shown_as(value.into(), number::in_own_units)
    }

    /// Nothing, where there is nothing to be said.
    pub(crate) fn empty() -> Self {
        Self::numeric("", "")
    }

    /// With a small line of text below.
    pub(crate) fn note(mut self, text: impl AsRef<str>) -> Self {
        self.content = html! { div { (self.content) small.note { (text.as_ref()) } } };
        self
    }

    /// With a class for its looks.
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

/// To four decimals.
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

/// The place of something in a file, from 0.
impl From<usize> for Cell {
    fn from(index: usize) -> Self {
        Self::numeric(&index.to_string(), index)
    }
}

/// The ends of an interval; sorted by the lower one.
impl From<Option<[f64; 2]>> for Cell {
    fn from(ends: Option<[f64; 2]>) -> Self {
        ends.map_or_else(Self::undefined, |ends| {
            Self::numeric(&number::interval(ends), ends[0])
        })
    }
}

/// A value with its interval below, and how many values are undefined.
impl From<Estimate> for Cell {
    fn from(estimate: Estimate) -> Self {
        let mut cell = Self::from(estimate.value);
        if let Some(ends) = estimate.interval {
            cell = cell.note(number::interval(ends));
        }
        if estimate.small_sample {
            cell = cell.note("few values: covers less often than it says");
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

/// A dash that a screen reader says in a word.
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
    fn a_long_table_says_how_many_rows_it_lacks() {
        let rows = (0..100_usize).map(|i| row![i]);
        let html = Table::new("T").numbers(["a"]).rows(rows).draw("Table 1");
        let html = html.into_string();
        assert!(html.contains("40 more rows are not shown"));
        assert_eq!(html.matches("scope=\"row\"").count(), MOST_ROWS);
    }
}
