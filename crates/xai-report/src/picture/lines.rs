//! Lines through points: curves, with bands, whiskers, a level of chance and a marked best point.

use crate::markup::number::decimals;
use crate::markup::{Cell, Element, MOST_ROWS, Table, number, path};
use crate::picture::{
    Area, Axis, Entry, PANEL, Picture, Style, Swatch, WIDTH, line, nothing, ring,
};

/// A chart of lines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LineChart {
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

impl Picture for LineChart {
    fn size(&self) -> (f64, f64) {
        match self.is_panel {
            true => (PANEL, 210.0),
            false => (WIDTH, 300.0),
        }
    }

    fn draw(&self) -> Vec<Element> {
        let area = Area::new(self.size(), &self.x, &self.y);
        let series = self.series.iter();
        let labels = (self.x.label.as_str(), self.y.label.as_str());
        let most = MOST_MARKS / if self.is_panel { 2 } else { 1 };
        let mut marks = area.draw(&self.x, &self.y);
        marks.extend(self.reference.iter().map(|reference| reference.draw(&area)));
        marks.extend(series.clone().flat_map(|of| of.draw_error_bars(&area)));
        marks.extend(series.clone().flat_map(|of| of.draw_line(&area)));
        marks.extend(
            series
                .clone()
                .flat_map(|of| of.draw_marks(&area, labels, most)),
        );
        if series.clone().all(|of| of.finite().next().is_none()) {
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
        let first = self.series.iter().take(8);
        let described: Vec<String> = first.map(|of| of.describe(&self.x.label)).collect();
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

    fn numbers(&self, title: &str) -> Table {
        let has_interval = self.points().any(|point| point.interval.is_some());
        let has_n = self.points().any(|point| point.n.is_some());
        let table = Table::new(title)
            .words([self.series_kind])
            .numbers([&self.x.label, &self.y.label])
            .numbers(has_interval.then_some("interval"))
            .numbers(has_n.then_some("n"));
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
}

impl LineChart {
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

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) style: Style,
    pub(crate) points: Vec<Point>,
    /// The point with a ring around it.
    pub(crate) best: Option<usize>,
    pub(crate) error_bars: ErrorBars,
}

impl Series {
    /// A line of the explainer that is the `index`th of its section.
    pub(crate) fn without_intervals(
        name: &str,
        index: usize,
        points: impl Iterator<Item = (f64, f64)>,
    ) -> Self {
        let points = points.map(|(x, y)| Point {
            x,
            y,
            interval: None,
            n: None,
        });
        Self {
            name: name.to_owned(),
            style: Style::of(index),
            points: points.collect(),
            best: None,
            error_bars: ErrorBars::None,
        }
    }
}

/// One point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) interval: Option<[f64; 2]>,
    /// How many values it is made from.
    pub(crate) n: Option<u64>,
}

/// How the intervals of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorBars {
    /// Not at all.
    None,
    /// As a band around the line.
    Band,
    /// As a whisker at each point, whose size shows how many values it has.
    Whiskers,
}

/// Points up to which a line has its usual width.
const MOST_WIDE: usize = 100;

/// At most so many of the values, evenly spread, with both ends.
pub(crate) fn thinned<T>(values: &[T], most: usize) -> impl Iterator<Item = &T> {
    let (n, most) = (values.len(), most.max(2));
    let is_kept = move |index: usize| {
        // The first of those that fall on the same one of `most` places.
        let place = |index: usize| index * (most - 1) / n.saturating_sub(1).max(1);
        n <= most || index == 0 || place(index) != place(index - 1)
    };
    values
        .iter()
        .enumerate()
        .filter(move |(index, _)| is_kept(*index))
        .map(|(_, value)| value)
}

impl Series {
    /// What stands for it in a legend.
    pub(super) fn swatch(&self) -> Swatch {
        match self.error_bars {
            ErrorBars::Whiskers => Swatch::Mark(self.style),
            ErrorBars::None | ErrorBars::Band => Swatch::Line(self.style),
        }
    }

    /// Its points that have a place.
    pub(super) fn finite(&self) -> impl Iterator<Item = &Point> {
        self.points
            .iter()
            .filter(|point| point.x.is_finite() && point.y.is_finite())
    }

    /// The intervals.
    pub(super) fn draw_error_bars(&self, area: &Area) -> Vec<Element> {
        let with_ends = self
            .finite()
            .filter_map(|point| Some((point.x, point.interval?)));
        match self.error_bars {
            ErrorBars::None => Vec::new(),
            ErrorBars::Whiskers => with_ends
                .map(|(x, [low, high])| {
                    line(
                        &format!("whisker {}", self.style.class()),
                        area.place((x, low)),
                        area.place((x, high)),
                    )
                })
                .collect(),
            ErrorBars::Band => {
                let ends: Vec<(f64, [f64; 2])> = with_ends.collect();
                let above = ends.iter().map(|(x, [_, high])| area.place((*x, *high)));
                let below = ends
                    .iter()
                    .rev()
                    .map(|(x, [low, _])| area.place((*x, *low)));
                let outline = path(above.chain(below));
                match ends.len() {
                    0 | 1 => Vec::new(),
                    _ => vec![
                        Element::of("path", format!("band {}", self.style.class()))
                            .with("d", outline + "Z"),
                    ],
                }
            }
        }
    }

    /// The line, where there are two points.
    pub(super) fn draw_line(&self, area: &Area) -> Option<Element> {
        let places = self.finite().map(|point| area.place((point.x, point.y)));
        let line = (self.points.len() > 1).then(|| self.style.line(places))?;
        // Many points would run together in a line of the usual width.
        match self.points.len() > MOST_WIDE {
            true => Some(line.with("stroke-width", 1)),
            false => Some(line),
        }
    }

    /// The marks, about `most` of them where there are many, with the names of the axes in their tooltips.
    pub(super) fn draw_marks(
        &self,
        area: &Area,
        (x, y): (&str, &str),
        most: usize,
    ) -> Vec<Element> {
        let points: Vec<&Point> = self.finite().collect();
        let largest = points
            .iter()
            .filter_map(|point| point.n)
            .max()
            .unwrap_or(1)
            .max(1);
        let most = if points.len() > 2 * most {
            most
        } else {
            points.len()
        };
        let marks = thinned(&points, most).map(|point| {
            let radius = match (self.error_bars, point.n) {
                (ErrorBars::Whiskers, Some(n)) => 3.0 + 6.0 * (n as f64 / largest as f64).sqrt(),
                _ => 3.6,
            };
            self.style
                .mark(area.place((point.x, point.y)), radius)
                .tooltip(self.tooltip(point, x, y))
        });
        let best = self.best.and_then(|index| self.points.get(index));
        let best = best.map(|point| {
            ring(area.place((point.x, point.y)), 8.0)
                .tooltip(format!("best. {}", self.tooltip(point, x, y)))
        });
        // The ring lies below the mark, so that both can be pointed at.
        best.into_iter().chain(marks).collect()
    }

    fn tooltip(&self, point: &Point, x: &str, y: &str) -> String {
        let interval = point
            .interval
            .map(|ends| format!(" {}", number::interval(ends)));
        let n = point.n.map(|n| format!(", n = {}", number::count(n)));
        format!(
            "{}: {x} {}, {y} {}{}{}",
            self.name,
            number::in_own_units(point.x),
            decimals(point.y),
            interval.unwrap_or_default(),
            n.unwrap_or_default()
        )
    }

    /// Its range in words.
    pub(super) fn describe(&self, x: &str) -> String {
        let by_y = |a: &&Point, b: &&Point| a.y.total_cmp(&b.y);
        let ends = self.finite().min_by(by_y).zip(self.finite().max_by(by_y));
        let Some((low, high)) = ends else {
            return format!("{}: undefined.", self.name);
        };
        let best = self
            .best
            .and_then(|index| self.points.get(index))
            .map(|best| {
                format!(
                    ", best {} at {x} {}",
                    decimals(best.y),
                    number::in_own_units(best.x)
                )
            });
        format!(
            "{}: from {} (at {x} {}) to {} (at {x} {}){}.",
            self.name,
            decimals(low.y),
            number::in_own_units(low.x),
            decimals(high.y),
            number::in_own_units(high.x),
            best.unwrap_or_default()
        )
    }

    /// The row of a point in a table.
    pub(super) fn row(&self, point: &Point, has_interval: bool, has_n: bool) -> Vec<Cell> {
        let mut row = vec![
            Cell::words(&self.name),
            Cell::shown_as(Some(point.x), number::in_own_units),
            Cell::number(Some(point.y)),
        ];
        if has_interval {
            row.push(Cell::interval(point.interval));
        }
        if has_n {
            row.push(point.n.map_or_else(|| Cell::number(None), Cell::count));
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_both_ends_and_no_more_than_wanted() {
        let values: Vec<usize> = (0..100).collect();
        let kept: Vec<usize> = thinned(&values, 12).copied().collect();
        assert_eq!((kept.len(), kept[0], kept[11]), (12, 0, 99));
        assert_eq!(thinned(&values, 200).count(), 100);
        assert_eq!(thinned(&values[..0], 5).count(), 0);
    }
}
