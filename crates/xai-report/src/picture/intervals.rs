//! Interval plots: rows of values with error bars.

use crate::estimate::Estimate;
use crate::markup::{Table, number, row};
use crate::picture::{
    Element, LegendEntry, PANEL, Picture, Scale, Style, Swatch, WIDTH, extent, room,
};

/// Interval plot: rows with a value and its interval.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Intervals {
    /// Label of the axis.
    pub(crate) label: String,
    /// Kind of the rows, for example `explainer`.
    pub(crate) row_kind: &'static str,
    pub(crate) rows: Vec<Row>,
    /// Reference value, such as the value by chance, with its legend.
    pub(crate) reference: Option<(f64, String)>,
    /// Range of the axis; by default that of the values.
    pub(crate) domain: Option<(f64, f64)>,
    /// True for one of many small pictures.
    pub(crate) is_panel: bool,
}

/// One row of an interval plot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) style: Style,
    pub(crate) estimate: Estimate,
    pub(crate) is_best: bool,
}

/// Margins above and below the rows, and for the value at the right.
const ABOVE: f64 = 6.0;
const BELOW: f64 = 44.0;
const AFTER: f64 = 64.0;

/// Height of a name above its row.
const NAME: f64 = 15.0;

impl Row {
    /// Creates a row with the style of the `index`-th series.
    pub(crate) fn new(name: impl Into<String>, index: usize, estimate: Estimate) -> Self {
        Self {
            name: name.into(),
            style: Style::for_series(index),
            estimate,
            is_best: false,
        }
    }
}

impl Intervals {
    /// Creates a plot of normal size with the range of the values.
    pub(crate) fn new(
        label: impl Into<String>,
        row_kind: &'static str,
        rows: impl IntoIterator<Item = Row>,
    ) -> Self {
        Self {
            label: label.into(),
            row_kind,
            rows: rows.into_iter().collect(),
            reference: None,
            domain: None,
            is_panel: false,
        }
    }

    /// Range of the axis: the domain if it contains all values, intervals and the reference. Otherwise
    /// the range of all of these and of the domain, plus 4 % at both ends.
    fn ends(&self) -> (f64, f64) {
        let estimates = self.rows.iter().map(|row| row.estimate);
        let values = estimates.flat_map(|estimate| {
            estimate
                .value
                .into_iter()
                .chain(estimate.interval.into_iter().flatten())
        });
        let reference = self.reference.iter().map(|(value, _)| *value);
        let given = self.domain.into_iter().flat_map(|(low, high)| [low, high]);
        let (low, high) = extent(values.chain(reference).chain(given)).unwrap_or((0.0, 1.0));
        match self.domain {
            Some((from, to)) if from <= low && to >= high => (from, to),
            _ => (low - 0.04 * (high - low), high + 0.04 * (high - low)),
        }
    }

    /// Width of names at the left of the rows; `None` if they are too long and written above the rows.
    fn beside(&self) -> Option<f64> {
        let most = if self.is_panel { 120.0 } else { 240.0 };
        let room = room(self.rows.iter().map(|row| &row.name));
        (room <= most).then_some(room + 8.0)
    }

    /// Height of a row without a name above it.
    fn line(&self) -> f64 {
        if self.rows.len() > 30 { 17.0 } else { 24.0 }
    }

    fn row_height(&self) -> f64 {
        let above = if self.beside().is_some() { 0.0 } else { NAME };
        self.line() + above
    }
}

impl Picture for Intervals {
    fn size(&self) -> (f64, f64) {
        let width = if self.is_panel { PANEL } else { WIDTH };
        let rows = self.row_height() * self.rows.len() as f64;
        (width, ABOVE + BELOW + rows)
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let reference = self.reference.iter();
        let mut entries: Vec<LegendEntry> = reference
            .map(|(_, text)| LegendEntry::new(Swatch::Reference, text))
            .collect();
        // For panels the ring is explained once, above all of them.
        if !self.is_panel && self.rows.iter().any(|row| row.is_best) {
            entries.push(LegendEntry::new(Swatch::Best, "best"));
        }
        entries
    }

    fn draw(&self) -> Vec<Element> {
        let ((width, height), row_height, beside) = (self.size(), self.row_height(), self.beside());
        let (left, right) = (beside.unwrap_or(8.0), width - AFTER);
        let bottom = height - BELOW;
        let x = Scale::new(self.ends(), (left + 4.0, right));
        let mut marks = x.draw_below(if self.is_panel { 3 } else { 5 }, (ABOVE, bottom));
        if let Some((value, text)) = &self.reference {
            let place = x.place(*value);
            marks.push(Element::line("reference", (place, ABOVE), (place, bottom)).tooltip(text));
        }
        for (index, row) in self.rows.iter().enumerate() {
            let y = ABOVE + row_height * (index + 1) as f64 - self.line() / 2.0;
            let above = (left, y - self.line() / 2.0);
            let name = match beside {
                Some(_) => {
                    let at = (left - 8.0, y + 4.0);
                    Element::fitting("name", at, &row.name, left - 8.0).end()
                }
                None => Element::fitting("name", above, &row.name, width - 16.0),
            };
            marks.extend([name, row.draw(&x, y, right)]);
        }
        let middle = ((left + right) / 2.0).max(width / 2.0 - 20.0);
        let label = Element::fitting("label", (middle, height - 8.0), &self.label, width - 8.0);
        marks.push(label.middle());
        marks
    }

    fn describe(&self) -> String {
        let mut defined: Vec<(&Row, f64)> = self
            .rows
            .iter()
            .filter_map(|row| Some((row, number::finite(row.estimate.value)?)))
            .collect();
        defined.sort_by(|a, b| b.1.total_cmp(&a.1));
        let named = defined.iter().take(8).map(|(row, _)| {
            let best = if row.is_best { ", the best" } else { "" };
            format!("{} {}{best}", row.name, number::estimate(&row.estimate))
        });
        let named: Vec<String> = named.collect();
        let more = match defined.len().saturating_sub(8) {
            0 => String::new(),
            n => format!(", and {n} more below"),
        };
        let undefined = match self.rows.len() - defined.len() {
            0 => String::new(),
            n => format!(" Undefined: {n}."),
        };
        if named.is_empty() {
            return format!("{}: no value is defined.", self.label);
        }
        let named = named.join(", ");
        format!("{}, largest first: {named}{more}.{undefined}", self.label)
    }

    fn numbers(&self, title: &str) -> Table {
        let rows = self.rows.iter().map(|row| {
            let estimate = &row.estimate;
            row![
                &row.name,
                estimate.value,
                estimate.interval,
                estimate.n,
                estimate.n_undefined
            ]
        });
        Table::new(title)
            .words([self.row_kind])
            .numbers(["value", "interval", "n", "undefined"])
            .rows(rows)
    }
}

impl Row {
    fn draw(&self, x: &Scale, y: f64, right: f64) -> Element {
        let tooltip = format!("{}: {}", self.name, number::estimate(&self.estimate));
        let Some(value) = number::finite(self.estimate.value) else {
            let at = (x.place(f64::MIN), y + 4.0);
            let text = Element::text("muted", at, "undefined");
            return Element::group(tooltip, [text]).with("class", "row");
        };
        let ends = self.estimate.interval.into_iter();
        let whiskers = ends.flat_map(|ends| {
            let [low, high] = ends.map(|end| x.place(end));
            let lines = [
                [(low, y), (high, y)],
                [(low, y - 4.0), (low, y + 4.0)],
                [(high, y - 4.0), (high, y + 4.0)],
            ];
            lines.map(|[from, to]| Element::line(self.style.class("whisker"), from, to))
        });
        let at = (x.place(value), y);
        let best = self.is_best.then(|| Element::ring(at, 8.0));
        let text = Element::text("value", (right + 10.0, y + 4.0), number::decimals(value));
        let elements = whiskers.chain(best).chain([self.style.mark(at, 4.2), text]);
        Element::group(tooltip, elements).with("class", "row")
    }
}
