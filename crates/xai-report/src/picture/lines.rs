//! Lines through points: curves, with bands, whiskers, a level of chance and a marked best point.

use crate::markup::{Cell, Element, MOST_ROWS, Table};
use crate::picture::{
    Area, Axis, Drawing, Entry, Figure, PANEL, Point, Series, Swatch, WIDTH, line, nothing, thinned,
};

/// A chart of lines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LineChart {
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// What a series is: `explainer`.
    pub(crate) series_kind: &'static str,
    pub(crate) series: Vec<Series>,
    pub(crate) reference: Option<Reference>,
    /// Whether it is one of many small charts.
    pub(crate) is_panel: bool,
}

/// What a line is held against.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reference {
    /// A level of the vertical axis, and what it means.
    Level(f64, String),
    /// The line on which both axes have the same value, and what it means.
    Diagonal(String),
}

/// Points of a line that get a mark, where it has many.
const MOST_MARKS: usize = 12;

impl LineChart {
    /// The chart with its words and its numbers.
    pub(crate) fn figure(self) -> Figure {
        let size = match self.is_panel {
            true => (PANEL, 210.0),
            false => (WIDTH, 300.0),
        };
        Figure {
            description: self.describe(),
            legend: self.legend(),
            numbers: self.numbers(),
            drawing: Drawing {
                width: size.0,
                height: size.1,
                marks: self.draw(size),
            },
            title: self.title,
            caption: self.caption,
            is_wide: false,
        }
    }

    fn draw(&self, size: (f64, f64)) -> Vec<Element> {
        let area = Area::new(size, &self.x, &self.y);
        let mut marks = area.draw(&self.x, &self.y);
        marks.extend(self.reference.iter().map(|reference| reference.draw(&area)));
        marks.extend(
            self.series
                .iter()
                .flat_map(|series| series.draw_error_bars(&area)),
        );
        marks.extend(
            self.series
                .iter()
                .flat_map(|series| series.draw_line(&area)),
        );
        let most = if self.is_panel {
            MOST_MARKS / 2
        } else {
            MOST_MARKS
        };
        for series in &self.series {
            marks.extend(series.draw_marks(&area, (&self.x.label, &self.y.label), most));
        }
        if self
            .series
            .iter()
            .all(|series| series.finite().next().is_none())
        {
            let middle = (
                (area.left + area.right) / 2.0,
                (area.top + area.bottom) / 2.0,
            );
            marks.push(nothing(middle));
        }
        marks
    }

    fn legend(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self
            .series
            .iter()
            .map(|series| Entry::new(series.swatch(), &series.name))
            .collect();
        if let Some(Reference::Level(_, text) | Reference::Diagonal(text)) = &self.reference {
            entries.push(Entry::new(Swatch::Reference, text));
        }
        if self.series.iter().any(|series| series.best.is_some()) {
            entries.push(Entry::new(Swatch::Best, "best"));
        }
        entries
    }

    fn describe(&self) -> String {
        let described = self
            .series
            .iter()
            .take(8)
            .map(|series| series.describe(&self.x.label));
        let described: Vec<String> = described.collect();
        let more = match self.series.len().saturating_sub(8) {
            0 => String::new(),
            n => format!(" And {n} more."),
        };
        format!(
            "{} against {}. {}{more}",
            self.y.label,
            self.x.label,
            described.join(" ")
        )
    }

    fn numbers(&self) -> Table {
        let has_interval = self.points().any(|point| point.interval.is_some());
        let has_n = self.points().any(|point| point.n.is_some());
        let mut table = Table::new(&self.title)
            .words(self.series_kind)
            .numbers(&self.x.label)
            .numbers(&self.y.label);
        if has_interval {
            table = table.numbers("interval");
        }
        if has_n {
            table = table.numbers("n");
        }
        let most = (MOST_ROWS / self.series.len().max(1)).max(2);
        let n_points = self.points().count();
        let rows: Vec<Vec<Cell>> = self
            .series
            .iter()
            .flat_map(|series| thinned(&series.points, most).map(move |point| (series, point)))
            .map(|(series, point)| series.row(point, has_interval, has_n))
            .collect();
        let n_left_out = n_points.saturating_sub(rows.len());
        table.rows(rows).without(n_left_out)
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }
}

impl Reference {
    fn draw(&self, area: &Area) -> Element {
        let (from, to, text) = match self {
            Self::Level(y, text) => {
                let y = area.y.place(*y);
                ((area.left, y), (area.right, y), text)
            }
            Self::Diagonal(text) => (area.place((0.0, 0.0)), area.place((1.0, 1.0)), text),
        };
        line("reference", from, to).tooltip(text)
    }
}
