//! One line of a chart: its points, their intervals and their marks.

use crate::markup::number::decimals;
use crate::markup::{Cell, Element, number, path};
use crate::picture::{Area, Style, Swatch, line, ring};

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
