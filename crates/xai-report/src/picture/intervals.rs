//! Values with their intervals, one below the other.

use crate::estimate::Estimate;
use crate::markup::{Cell, Element, Table, number};
use crate::picture::{
    CHARACTER, Entry, Figure, PANEL, Scale, Style, Swatch, WIDTH, extent, fitting, grid, line,
    ring, tick,
};

/// A picture of rows, each with a value and its interval.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Intervals {
    pub(crate) title: String,
    pub(crate) caption: String,
    /// What is measured.
    pub(crate) label: String,
    /// What a row is: `explainer`.
    pub(crate) row_kind: &'static str,
    pub(crate) rows: Vec<Row>,
    /// What chance gives, and what it means.
    pub(crate) reference: Option<(f64, String)>,
    /// The ends of the axis; the values decide where there are none.
    pub(crate) domain: Option<(f64, f64)>,
    /// Whether it is one of many small pictures.
    pub(crate) is_panel: bool,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) style: Style,
    pub(crate) estimate: Estimate,
    pub(crate) is_best: bool,
}

/// Room above and below the rows, and for the value at the right.
const ABOVE: f64 = 6.0;
const BELOW: f64 = 44.0;
const AFTER: f64 = 64.0;

impl Intervals {
    /// The picture with its words and its numbers.
    pub(crate) fn figure(self) -> Figure {
        let width = if self.is_panel { PANEL } else { WIDTH };
        let row_height = if self.rows.len() > 30 { 17.0 } else { 24.0 };
        let height = ABOVE + BELOW + row_height * self.rows.len() as f64;
        Figure {
            description: self.describe(),
            legend: self.legend(),
            numbers: self.numbers(),
            size: (width, height),
            marks: self.draw(width, height, row_height),
            title: self.title,
            caption: self.caption,
        }
    }

    fn legend(&self) -> Vec<Entry> {
        let reference = self.reference.iter();
        let mut entries: Vec<Entry> = reference
            .map(|(_, text)| Entry::new(Swatch::Reference, text))
            .collect();
        if self.rows.iter().any(|row| row.is_best) {
            entries.push(Entry::new(Swatch::Best, "best"));
        }
        entries
    }

    /// The ends of the axis: all values and ends of intervals, and a little more.
    fn ends(&self) -> (f64, f64) {
        let of_row = |row: &Row| {
            let ends = row.estimate.interval.into_iter().flatten();
            row.estimate
                .value
                .into_iter()
                .chain(ends)
                .collect::<Vec<_>>()
        };
        let values = self.rows.iter().flat_map(of_row);
        let reference = self.reference.iter().map(|(value, _)| *value);
        let given = self.domain.into_iter().flat_map(|(low, high)| [low, high]);
        let (low, high) = extent(values.chain(reference).chain(given)).unwrap_or((0.0, 1.0));
        match self.domain {
            Some((from, to)) if from <= low && to >= high => (from, to),
            _ => (low - 0.04 * (high - low), high + 0.04 * (high - low)),
        }
    }

    /// The width of the names.
    fn before(&self) -> f64 {
        let longest = self.rows.iter().map(|row| row.name.chars().count()).max();
        let most: f64 = if self.is_panel { 112.0 } else { 190.0 };
        most.min(longest.unwrap_or(0) as f64 * CHARACTER + 12.0)
    }

    fn draw(&self, width: f64, height: f64, row_height: f64) -> Vec<Element> {
        let (left, right) = (self.before(), width - AFTER);
        let bottom = height - BELOW;
        let x = Scale::new(self.ends(), (left + 4.0, right));
        let mut marks = Vec::new();
        for (value, text) in x.ticks(if self.is_panel { 3 } else { 5 }) {
            let place = x.place(value);
            marks.push(grid((place, ABOVE), (place, bottom)));
            marks.push(tick((place, bottom + 17.0), "middle", &text));
        }
        if let Some((value, text)) = &self.reference {
            let place = x.place(*value);
            marks.push(line("reference", (place, ABOVE), (place, bottom)).tooltip(text));
        }
        for (index, row) in self.rows.iter().enumerate() {
            let y = ABOVE + row_height * (index as f64 + 0.5);
            marks.push(
                fitting(&row.name, left - 8.0, "name")
                    .at("x", left - 8.0)
                    .at("y", y + 4.0)
                    .with("text-anchor", "end"),
            );
            marks.push(row.draw(&x, y, right));
        }
        marks.push(
            fitting(&self.label, width - 8.0, "label")
                .at("x", ((left + right) / 2.0).max(width / 2.0 - 20.0))
                .at("y", height - 8.0)
                .with("text-anchor", "middle"),
        );
        marks
    }

    fn describe(&self) -> String {
        let defined = self
            .rows
            .iter()
            .filter_map(|row| Some((row, number::finite(row.estimate.value)?)));
        let mut defined: Vec<(&Row, f64)> = defined.collect();
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
        let n_undefined = self.rows.len() - defined.len();
        let undefined = match n_undefined {
            0 => String::new(),
            n => format!(" Undefined: {n}."),
        };
        match named.is_empty() {
            true => format!("{}: no value is defined.", self.label),
            false => format!(
                "{}, largest first: {}{more}.{undefined}",
                self.label,
                named.join(", ")
            ),
        }
    }

    fn numbers(&self) -> Table {
        let rows = self.rows.iter().map(|row| {
            vec![
                Cell::words(&row.name),
                Cell::number(row.estimate.value),
                Cell::interval(row.estimate.interval),
                Cell::count(row.estimate.n),
                Cell::count(row.estimate.n_undefined),
            ]
        });
        Table::new(&self.title)
            .words(self.row_kind)
            .numbers("value")
            .numbers("95 % interval")
            .numbers("n")
            .numbers("undefined")
            .rows(rows)
    }
}

impl Row {
    fn draw(&self, x: &Scale, y: f64, right: f64) -> Element {
        let tooltip = format!("{}: {}", self.name, number::estimate(&self.estimate));
        let group = Element::of("g", "row").tooltip(tooltip);
        let Some(value) = number::finite(self.estimate.value) else {
            let text = Element::of("text", "muted")
                .at("x", x.place(f64::MIN))
                .at("y", y + 4.0);
            return group.child(text.text("undefined"));
        };
        let whisker = format!("whisker {}", self.style.class());
        let ends = self
            .estimate
            .interval
            .map(|ends| ends.map(|end| x.place(end)));
        let whiskers = ends.into_iter().flat_map(|[low, high]| {
            [
                line(&whisker, (low, y), (high, y)),
                line(&whisker, (low, y - 4.0), (low, y + 4.0)),
                line(&whisker, (high, y - 4.0), (high, y + 4.0)),
            ]
        });
        let at = (x.place(value), y);
        let best = self.is_best.then(|| ring(at, 8.0));
        let text = Element::of("text", "value")
            .at("x", right + 10.0)
            .at("y", y + 4.0)
            .text(number::decimals(value));
        group
            .children(whiskers)
            .children(best)
            .child(self.style.mark(at, 4.2))
            .child(text)
    }
}
