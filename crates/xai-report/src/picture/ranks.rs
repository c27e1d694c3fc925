//! Bump charts of the ranks of explainers by several metrics.

use crate::markup::number::in_own_units;
use crate::markup::{Cell, Table};
use crate::picture::{Element, LegendEntry, PANEL, Picture, Style, Swatch, WIDTH, room, shortened};

/// Bump chart: a row for each metric and a line for each explainer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranks {
    /// Names of the metrics.
    pub(crate) metrics: Vec<String>,
    pub(crate) lines: Vec<RankLine>,
}

/// Ranks of one explainer by metric; `None` if undefined.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankLine {
    pub(crate) name: String,
    pub(crate) style: Style,
    pub(crate) ranks: Vec<Option<f64>>,
}

/// Margins above and at the right of the rows, and height of a row.
const ABOVE: f64 = 44.0;
const AFTER: f64 = 16.0;
const ROW: f64 = 26.0;

impl Ranks {
    /// Left end of the lines, after the names of the metrics.
    fn before(&self) -> f64 {
        (room(&self.metrics) + 22.0).min(WIDTH - PANEL / 2.0)
    }

    fn at(&self, metric: usize, rank: f64) -> (f64, f64) {
        let n_steps = self.lines.len().saturating_sub(1).max(1) as f64;
        let step = (WIDTH - self.before() - AFTER) / n_steps;
        let x = self.before() + step * (rank - 1.0);
        (x, ABOVE + ROW * (metric as f64 + 0.5))
    }

    /// Draws a mark at each rank and lines between ranks of consecutive metrics. A missing rank
    /// interrupts the line.
    fn draw_line(&self, line: &RankLine) -> Vec<Element> {
        let pairs = line.ranks.windows(2).enumerate();
        let lines = pairs.filter_map(|(index, pair)| {
            let (from, to) = (pair.first().copied()??, pair.last().copied()??);
            let ends = [self.at(index, from), self.at(index + 1, to)];
            Some(line.style.line(ends))
        });
        let ranked = line.ranks.iter().zip(&self.metrics).enumerate();
        let marks = ranked.filter_map(|(index, (rank, metric))| {
            let rank = (*rank)?;
            let tooltip = format!("{}, {metric}: rank {}", line.name, in_own_units(rank));
            let mark = line.style.mark(self.at(index, rank), 5.0);
            Some(mark.tooltip(tooltip))
        });
        lines.chain(marks).collect()
    }
}

impl Picture for Ranks {
    fn size(&self) -> (f64, f64) {
        (WIDTH, ABOVE + ROW * self.metrics.len() as f64 + 6.0)
    }

    fn draw(&self) -> Vec<Element> {
        let before = self.before();
        let mut marks = vec![Element::text("label", (before, 14.0), "rank (1 = best)")];
        // Labels at most about 12 ranks.
        let every = self.lines.len().div_ceil(12).max(1);
        for rank in (1..=self.lines.len()).step_by(every) {
            let (x, _) = self.at(0, rank as f64);
            marks.push(Element::grid((x, ABOVE), (x, self.size().1 - 6.0)));
            marks.push(Element::tick((x, ABOVE - 8.0), rank));
        }
        for (index, metric) in self.metrics.iter().enumerate() {
            let (x, y) = self.at(index, 1.0);
            marks.push(Element::grid((x, y), (WIDTH - AFTER, y)));
            let at = (before - 14.0, y + 4.0);
            marks.push(Element::fitting("name", at, metric, before - 18.0).end());
        }
        marks.extend(self.lines.iter().flat_map(|line| self.draw_line(line)));
        marks
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let lines = self.lines.iter();
        let entry = |line: &RankLine| LegendEntry::new(Swatch::Line(line.style), &line.name);
        lines.map(entry).collect()
    }

    fn describe(&self) -> String {
        let described = self.lines.iter().take(8).map(|line| {
            let ranks = line.ranks.iter().zip(&self.metrics);
            let first: Vec<String> = ranks
                .filter(|(rank, _)| **rank == Some(1.0))
                .map(|(_, metric)| shortened(metric, 40))
                .collect();
            match first.as_slice() {
                [] => format!("{} is not alone at rank 1 by any metric.", line.name),
                first => format!("{} is at rank 1 by {}.", line.name, first.join(", ")),
            }
        });
        let described: Vec<String> = described.collect();
        let n = self.metrics.len();
        format!("Ranks by {n} metrics. {}", described.join(" "))
    }

    fn numbers(&self, title: &str) -> Table {
        let names = self.lines.iter().map(|line| &line.name);
        let table = Table::new(title).words(["metric"]).numbers(names);
        let rows = self.metrics.iter().enumerate().map(|(index, metric)| {
            let ranks = self.lines.iter().map(|line| line.ranks.get(index));
            let cells = ranks.map(|rank| Cell::in_own_units(rank.copied().flatten()));
            std::iter::once(Cell::from(metric)).chain(cells).collect()
        });
        table.rows(rows)
    }
}
