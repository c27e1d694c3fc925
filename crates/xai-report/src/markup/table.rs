//! Tables: with a caption, with heads for screen readers, with exact values for whoever sorts or checks.

use crate::estimate::Estimate;
use crate::markup::{Element, Markup, name, number};
use crate::text::DASH;

/// Rows that a table shows at most.
pub(crate) const MOST_ROWS: usize = 60;

/// Columns from which a table may be wider than a page.
const WIDE: usize = 4;

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// What it shows.
    pub(crate) caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    n_left_out: usize,
    is_sortable: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct Column {
    head: Element,
    is_numeric: bool,
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    content: Element,
    /// The exact value of a numeric cell, empty where it is undefined.
    value: Option<String>,
    class: &'static str,
}

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
        heads.fold(self, |table, head| table.column(name(head.as_ref()), false))
    }

    /// With columns of numbers.
    pub(crate) fn numbers<H: AsRef<str>>(self, heads: impl IntoIterator<Item = H>) -> Self {
        let heads = heads.into_iter();
        heads.fold(self, |table, head| table.column(name(head.as_ref()), true))
    }

    /// With a column of numbers whose head is more than words.
    pub(crate) fn column(mut self, head: Element, is_numeric: bool) -> Self {
        self.columns.push(Column { head, is_numeric });
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
            match self.rows.len() < MOST_ROWS {
                true => self.rows.push(row),
                false => self.n_left_out += 1,
            }
        }
        self
    }

    /// With a number of rows that were not even made.
    pub(crate) fn without(mut self, n_left_out: usize) -> Self {
        self.n_left_out += n_left_out;
        self
    }

    /// The table; `label` names it on the page: `Table 3`.
    pub(crate) fn draw(&self, label: &str) -> Markup {
        let class = if self.is_sortable {
            "sortable"
        } else {
            "plain"
        };
        let table = Element::of("table", class)
            .child(self.draw_caption(label))
            .child(self.draw_head())
            .child(Element::new("tbody").children(self.rows.iter().map(|row| self.draw_row(row))));
        let table = match self.columns.len() >= WIDE {
            true => Element::of("div", "scroll")
                .with("tabindex", 0)
                .with("role", "region")
                .with("aria-label", format!("{label}: {}", self.caption))
                .child(table),
            false => Element::of("div", "narrow").child(table),
        };
        table.into()
    }

    /// The caption, which stays in sight where the table is moved aside.
    fn draw_caption(&self, label: &str) -> Element {
        let text = Element::of("span", "caption")
            .child(Element::new("b").text(format!("{label}. ")))
            .child(name(&self.caption));
        let text = match self.n_left_out {
            0 => text,
            n => text.text(format!(
                ". {} not shown here; report.json has what the report keeps.",
                number::of_kind(n as u64, "more row is", "more rows are")
            )),
        };
        Element::new("caption").child(text)
    }

    fn draw_head(&self) -> Element {
        let cells = self.columns.iter().map(|column| {
            let class = if column.is_numeric { "n" } else { "w" };
            Element::of("th", class)
                .with("scope", "col")
                .child(column.head.clone())
        });
        Element::new("thead").child(Element::new("tr").children(cells))
    }

    fn draw_row(&self, row: &[Cell]) -> Element {
        let cells = row.iter().zip(&self.columns).enumerate();
        Element::new("tr").children(cells.map(|(index, (cell, column))| {
            let kind = if column.is_numeric { "n" } else { "w" };
            let class = format!("{kind} {}", cell.class);
            let drawn = match index {
                0 => Element::of("th", class.trim()).with("scope", "row"),
                _ => Element::of("td", class.trim()),
            };
            let drawn = match &cell.value {
                Some(value) => drawn.with("data-value", value),
                None => drawn,
            };
            drawn.child(cell.content.clone())
        }))
    }
}

impl Cell {
    fn new(content: Element, value: Option<String>) -> Self {
        Self {
            content,
            value,
            class: "",
        }
    }

    /// A text.
    pub(crate) fn words(text: impl AsRef<str>) -> Self {
        Self::new(name(text.as_ref()), None)
    }

    /// A number to four decimals.
    pub(crate) fn number(value: Option<f64>) -> Self {
        Self::shown_as(value, number::decimals)
    }

    /// A number that is shown in a way of its own.
    pub(crate) fn shown_as(value: Option<f64>, show: impl Fn(f64) -> String) -> Self {
        match number::finite(value) {
            Some(value) => Self::new(
                Element::new("span").text(show(value)),
                Some(value.to_string()),
            ),
            None => Self::new(undefined(), Some(String::new())),
        }
    }

    /// Nothing, where there is nothing to be said.
    pub(crate) fn empty() -> Self {
        Self::new(Element::new("span"), Some(String::new()))
    }

    /// A count.
    pub(crate) fn count(n: u64) -> Self {
        Self::new(
            Element::new("span").text(number::count(n)),
            Some(n.to_string()),
        )
    }

    /// The place of something in a file, from 0.
    pub(crate) fn index(index: usize) -> Self {
        Self::new(Element::new("span").text(index), Some(index.to_string()))
    }

    /// A value with its interval below, and how many values are undefined.
    pub(crate) fn estimate(estimate: &Estimate) -> Self {
        let mut cell = Self::number(estimate.value);
        if let Some(ends) = estimate.interval {
            cell = cell.note(number::interval(ends));
        }
        if estimate.small_sample {
            cell = cell.note("few values: covers less often than it says");
        }
        match estimate.n_undefined {
            0 => cell,
            n => cell.note(format!(
                "{} of {} undefined",
                number::count(n),
                number::count(estimate.n + n)
            )),
        }
    }

    /// The ends of an interval; sorted by the lower one.
    pub(crate) fn interval(ends: Option<[f64; 2]>) -> Self {
        match ends {
            Some(ends) => Self::new(
                Element::new("span").text(number::interval(ends)),
                Some(ends[0].to_string()),
            ),
            None => Self::new(undefined(), Some(String::new())),
        }
    }

    /// With a small line of text below.
    pub(crate) fn note(mut self, text: impl AsRef<str>) -> Self {
        let note = Element::of("small", "note").text(text.as_ref());
        self.content = Element::new("div").child(self.content).child(note);
        self
    }

    /// With a class for its looks.
    pub(crate) fn class(mut self, class: &'static str) -> Self {
        self.class = class;
        self
    }
}

/// A dash that a screen reader says in a word.
pub(crate) fn undefined() -> Element {
    Element::of("span", "undefined")
        .with("role", "img")
        .with("aria-label", "undefined")
        .text(DASH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_exact_value_and_undefined_ones_none() {
        let table = Table::new("T").words(["a"]).numbers(["b"]).rows([
            vec![Cell::words("<x>"), Cell::number(Some(0.1 + 0.2))],
            vec![Cell::words("y"), Cell::number(Some(f64::NAN))],
        ]);
        let html = table.draw("Table 1").to_string();
        assert!(html.contains(
            "<td class=\"n\" data-value=\"0.30000000000000004\"><span>0.3000</span></td>"
        ));
        assert!(html.contains("data-value=\"\"><span class=\"undefined\" role=\"img\" aria-label=\"undefined\">–</span>"));
        assert!(html.contains("<th class=\"w\" scope=\"row\"><bdi>&lt;x&gt;</bdi></th>"));
    }

    #[test]
    fn a_long_table_says_how_many_rows_it_lacks() {
        let rows = (0..100).map(|i| vec![Cell::index(i)]);
        let html = Table::new("T").numbers(["a"]).rows(rows).draw("Table 1");
        let html = html.to_string();
        assert!(html.contains("40 more rows are not shown"));
        assert_eq!(html.matches("scope=\"row\"").count(), MOST_ROWS);
    }
}
