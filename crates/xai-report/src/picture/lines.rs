//! Line charts with error bars, a reference line and a marked best point.

use crate::estimate::Estimate;
use crate::markup::number::{decimals, in_own_units};
use crate::markup::{Cell, MAX_ROWS, Table, number, row};
use crate::picture::{Area, Axis, Element, LegendEntry, PANEL, Picture, Style, Swatch, WIDTH};

/// Line chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LineChart {
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// Kind of the series, for example `explainer`.
    pub(crate) series_kind: &'static str,
    pub(crate) series: Vec<Series>,
    pub(crate) reference: Option<Reference>,
    /// True for one of many small charts.
    pub(crate) is_panel: bool,
}

/// Reference line with its legend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reference {
    /// Horizontal line at a value.
    Level(f64, String),
    /// Line from (0, 0) to (1, 1), for axes that both range from 0 to 1.
    Diagonal(String),
}

/// Number of marks on a line with more than twice as many points; half of it in a small chart.
const MAX_MARKS: usize = 12;

impl LineChart {
    /// Creates a chart of normal size without a reference line.
    pub(crate) fn new(
        series_kind: &'static str,
        x: Axis,
        y: Axis,
        series: impl IntoIterator<Item = Series>,
    ) -> Self {
        Self {
            x,
            y,
            series_kind,
            series: series.into_iter().collect(),
            reference: None,
            is_panel: false,
        }
    }

    /// Adds a reference line.
    pub(crate) fn reference(mut self, reference: Reference) -> Self {
        self.reference = Some(reference);
        self
    }

    /// Makes it one of many small charts.
    pub(crate) fn panel(mut self) -> Self {
        self.is_panel = true;
        self
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }
}

impl Picture for LineChart {
    fn size(&self) -> (f64, f64) {
        if self.is_panel {
            (PANEL, 210.0)
        } else {
            (WIDTH, 300.0)
        }
    }

    fn draw(&self) -> Vec<Element> {
        let area = Area::new(self.size(), &self.x, &self.y);
        let most = MAX_MARKS / if self.is_panel { 2 } else { 1 };
        let mut marks = area.draw(&self.x, &self.y);
        marks.extend(self.reference.iter().map(|reference| reference.draw(&area)));
        // From back to front, so that no band covers a line and no line covers a mark.
        let series = self.series.iter();
        marks.extend(series.clone().filter_map(|line| line.draw_band(&area)));
        marks.extend(series.clone().flat_map(|line| line.draw_whiskers(&area)));
        marks.extend(series.filter_map(|line| line.draw_line(&area)));
        for series in &self.series {
            marks.extend(series.draw_marks(&area, [&self.x.label, &self.y.label], most));
        }
        if self.series.iter().all(|of| of.finite().next().is_none()) {
            let (x, y) = (area.left + area.right, area.top + area.bottom);
            let text = Element::text("muted", (x / 2.0, y / 2.0), "no value is defined");
            marks.push(text.middle());
        }
        marks
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let mut entries: Vec<LegendEntry> = self
            .series
            .iter()
            .map(|series| LegendEntry::new(series.swatch(), &series.name))
            .collect();
        if let Some(Reference::Level(_, text) | Reference::Diagonal(text)) = &self.reference {
            entries.push(LegendEntry::new(Swatch::Reference, text));
        }
        if self.series.iter().any(|series| series.best.is_some()) {
            entries.push(LegendEntry::new(Swatch::Best, "best"));
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
        let most = (MAX_ROWS / self.series.len().max(1)).max(2);
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

impl Reference {
    fn draw(&self, area: &Area) -> Element {
        let (from, to, text) = match self {
            Self::Level(y, text) => {
                let y = area.y.place(*y);
                ((area.left, y), (area.right, y), text)
            }
            Self::Diagonal(text) => (area.place((0.0, 0.0)), area.place((1.0, 1.0)), text),
        };
        Element::line("reference", from, to).tooltip(text)
    }
}

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) style: Style,
    pub(crate) points: Vec<Point>,
    /// Index of the best point, which gets a ring.
    pub(crate) best: Option<usize>,
    pub(crate) error_bars: ErrorBars,
}

impl Series {
    /// Creates a line with the style of the `index`-th series, without error bars.
    pub(crate) fn new(
        name: impl Into<String>,
        index: usize,
        points: impl IntoIterator<Item = Point>,
    ) -> Self {
        Self {
            name: name.into(),
            style: Style::for_series(index),
            points: points.into_iter().collect(),
            best: None,
            error_bars: ErrorBars::None,
        }
    }

    /// Sets how intervals are drawn.
    pub(crate) fn error_bars(mut self, error_bars: ErrorBars) -> Self {
        self.error_bars = error_bars;
        self
    }
}

/// One point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) interval: Option<[f64; 2]>,
    /// Number of values behind the point.
    pub(crate) n: Option<u64>,
}

impl Point {
    /// Creates a point without an interval.
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Self {
            x,
            y,
            interval: None,
            n: None,
        }
    }

    /// Creates a point from an estimate. A point without a value is not drawn.
    pub(crate) fn estimate(x: f64, estimate: &Estimate) -> Self {
        Self {
            interval: estimate.interval,
            n: Some(estimate.n),
            ..Self::new(x, estimate.value.unwrap_or(f64::NAN))
        }
    }

    /// Ends of the interval, or the value twice.
    pub(crate) fn ends(&self) -> [f64; 2] {
        self.interval.unwrap_or([self.y; 2])
    }
}

/// Drawing of the intervals of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorBars {
    /// No intervals.
    None,
    /// A band around the line.
    Band,
    /// A whisker at each point. The size of the mark shows the number of values.
    Whiskers,
}

/// Largest number of points for which a line has its normal width.
const MAX_POINTS_OF_WIDE_LINE: usize = 100;

/// Selects at most `most` values, evenly spread and including both ends. Limits below 2 count as 2.
pub(crate) fn thinned<T>(values: &[T], most: usize) -> impl Iterator<Item = &T> {
    let (n, most) = (values.len(), most.max(2));
    let is_kept = move |index: usize| {
        // Maps indices to `most` slots and keeps the first index of each slot.
        let slot = |index: usize| index * (most - 1) / n.saturating_sub(1).max(1);
        n <= most || index == 0 || slot(index) != slot(index - 1)
    };
    values
        .iter()
        .enumerate()
        .filter(move |(index, _)| is_kept(*index))
        .map(|(_, value)| value)
}

impl Series {
    /// Symbol in the legend.
    fn swatch(&self) -> Swatch {
        match self.error_bars {
            ErrorBars::Whiskers => Swatch::Mark(self.style),
            ErrorBars::None | ErrorBars::Band => Swatch::Line(self.style),
        }
    }

    /// Points with finite coordinates.
    fn finite(&self) -> impl Iterator<Item = &Point> {
        let points = self.points.iter();
        points.filter(|point| point.x.is_finite() && point.y.is_finite())
    }

    /// Lower and upper ends of the intervals, as coordinates of the picture.
    fn intervals(&self, area: &Area) -> Vec<[(f64, f64); 2]> {
        let points = self.finite();
        let ends = points.filter_map(|point| Some(point.interval?.map(|end| (point.x, end))));
        ends.map(|ends| ends.map(|end| area.place(end))).collect()
    }

    fn draw_whiskers(&self, area: &Area) -> Vec<Element> {
        if self.error_bars != ErrorBars::Whiskers {
            return Vec::new();
        }
        let ends = self.intervals(area).into_iter();
        ends.map(|[low, high]| Element::line(self.style.class("whisker"), low, high))
            .collect()
    }

    fn draw_band(&self, area: &Area) -> Option<Element> {
        let ends = self.intervals(area);
        let above = ends.iter().map(|[_, high]| *high);
        let below = ends.iter().rev().map(|[low, _]| *low);
        (self.error_bars == ErrorBars::Band && ends.len() > 1)
            .then(|| Element::polygon(self.style.class("band"), above.chain(below)))
    }

    /// Draws the line; `None` for fewer than two points.
    fn draw_line(&self, area: &Area) -> Option<Element> {
        let places = self.finite().map(|point| area.place((point.x, point.y)));
        let line = (self.points.len() > 1).then(|| self.style.line(places))?;
        // With many points, a line of normal width would look like a filled area.
        if self.points.len() > MAX_POINTS_OF_WIDE_LINE {
            return Some(line.with("stroke-width", 1));
        }
        Some(line)
    }

    /// Draws a mark at each point, or `most` marks if there are more than twice as many points. Tooltips name the axes.
    fn draw_marks(&self, area: &Area, labels: [&str; 2], most: usize) -> Vec<Element> {
        let points: Vec<&Point> = self.finite().collect();
        let largest_n = points.iter().filter_map(|point| point.n).max();
        let largest = largest_n.unwrap_or(1).max(1) as f64;
        let most = if points.len() > 2 * most {
            most
        } else {
            points.len()
        };
        let marks = thinned(&points, most).map(|point| {
            let radius = match (self.error_bars, point.n) {
                (ErrorBars::Whiskers, Some(n)) => 3.0 + 6.0 * (n as f64 / largest).sqrt(),
                _ => 3.6,
            };
            let mark = self.style.mark(area.place((point.x, point.y)), radius);
            mark.tooltip(self.tooltip(point, labels))
        });
        let best_point = self.best.and_then(|index| self.points.get(index));
        let ring = best_point.map(|point| {
            let ring = Element::ring(area.place((point.x, point.y)), 8.0);
            ring.tooltip(format_args!("best. {}", self.tooltip(point, labels)))
        });
        // The ring is behind the mark, so that both have a tooltip.
        ring.into_iter().chain(marks).collect()
    }

    fn tooltip(&self, point: &Point, [x, y]: [&str; 2]) -> String {
        let interval = match point.interval {
            Some(ends) => format!(" {}", number::interval(ends)),
            None => String::new(),
        };
        let n = point.n.map(|n| format!(", n = {}", number::count(n)));
        format!(
            "{}: {x} {}, {y} {}{interval}{}",
            self.name,
            in_own_units(point.x),
            decimals(point.y),
            n.unwrap_or_default()
        )
    }

    /// Describes the range of the line in words.
    fn describe(&self, x: &str) -> String {
        let by_y = |a: &&Point, b: &&Point| a.y.total_cmp(&b.y);
        let ends = self.finite().min_by(by_y).zip(self.finite().max_by(by_y));
        let Some((low, high)) = ends else {
            return format!("{}: undefined.", self.name);
        };
        let at = |point: &Point| format!("at {x} {}", in_own_units(point.x));
        let best_point = self.best.and_then(|index| self.points.get(index));
        let best = best_point.map(|best| format!(", best {} {}", decimals(best.y), at(best)));
        format!(
            "{}: from {} ({}) to {} ({}){}.",
            self.name,
            decimals(low.y),
            at(low),
            decimals(high.y),
            at(high),
            best.unwrap_or_default()
        )
    }

    /// Table row of a point.
    fn row(&self, point: &Point, has_interval: bool, has_n: bool) -> Vec<Cell> {
        let mut row = row![&self.name, Cell::in_own_units(point.x), Some(point.y)];
        row.extend(has_interval.then(|| Cell::from(point.interval)));
        row.extend(has_n.then(|| point.n.map_or_else(|| Cell::from(None::<f64>), Cell::from)));
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
