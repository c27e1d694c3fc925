//! Ranks by several metrics: a line for each explainer, from metric to metric.

use crate::markup::number::in_own_units;
use crate::markup::{Cell, Element, Table};
use crate::picture::{Entry, Figure, Style, Swatch, WIDTH, fitting, grid, shortened};

/// A picture of ranks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranks {
    pub(crate) title: String,
    pub(crate) caption: String,
    /// What is ranked: `explainer`.
    pub(crate) line_kind: &'static str,
    /// The names of the metrics.
    pub(crate) metrics: Vec<String>,
    pub(crate) lines: Vec<RankLine>,
}

/// The ranks of one explainer, by metric; `None` where it has none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankLine {
    pub(crate) name: String,
    pub(crate) style: Style,
    pub(crate) ranks: Vec<Option<f64>>,
}

/// Room around the lines.
const BEFORE: f64 = 82.0;
const AFTER: f64 = 132.0;
const ABOVE: f64 = 30.0;

/// The room for the names of metrics, which stand aslant.
const BELOW: f64 = 112.0;

/// The least distance of two metrics.
const STEP: f64 = 34.0;

/// By how much less fits where text is bold.
const BOLD: f64 = 0.92;

/// Where everything stands.
struct Places {
    width: f64,
    height: f64,
    step: f64,
    row: f64,
}

impl Places {
    fn at(&self, metric: usize, rank: f64) -> (f64, f64) {
        (
            BEFORE + self.step * metric as f64,
            ABOVE + self.row * (rank - 0.5),
        )
    }
}

impl Ranks {
    /// The picture with its words and its numbers.
    pub(crate) fn figure(self) -> Figure {
        let n = self.metrics.len().max(2) as f64;
        let width = WIDTH.max(BEFORE + AFTER + STEP * (n - 1.0));
        let row = if self.lines.len() > 12 { 18.0 } else { 34.0 };
        let places = Places {
            width,
            height: ABOVE + row * self.lines.len() as f64 + BELOW,
            step: (width - BEFORE - AFTER) / (n - 1.0),
            row,
        };
        let legend = self
            .lines
            .iter()
            .map(|line| Entry::new(Swatch::Line(line.style), &line.name));
        Figure {
            description: self.describe(),
            legend: legend.collect(),
            numbers: self.numbers(),
            size: (places.width, places.height),
            marks: self.draw(&places),
            title: self.title,
            caption: self.caption,
        }
    }

    fn draw(&self, places: &Places) -> Vec<Element> {
        let mut marks = self.draw_grid(places);
        marks.extend(
            self.lines
                .iter()
                .flat_map(|line| line.draw(places, &self.metrics)),
        );
        marks.extend(self.draw_names(places));
        marks
    }

    fn draw_grid(&self, places: &Places) -> Vec<Element> {
        let mut marks = vec![
            Element::of("text", "label")
                .with("x", 4)
                .with("y", 14)
                .text("rank (1 = best)"),
        ];
        let last = self.metrics.len().saturating_sub(1);
        for rank in 1..=self.lines.len() {
            let (from, to) = (places.at(0, rank as f64), places.at(last, rank as f64));
            marks.push(grid(from, to));
            marks.push(super::axes::tick(
                (from.0 - 14.0, from.1 + 4.0),
                "end",
                &rank.to_string(),
            ));
        }
        let bottom = ABOVE + places.row * self.lines.len() as f64;
        for (index, metric) in self.metrics.iter().enumerate() {
            let (x, _) = places.at(index, 1.0);
            marks.push(grid((x, ABOVE), (x, bottom)));
            let y = bottom + 14.0;
            marks.push(
                fitting(metric, 122.0, "tick")
                    .at("x", x + 4.0)
                    .at("y", y)
                    .with("text-anchor", "end")
                    .with("transform", format!("rotate(-45 {:.1} {y:.1})", x + 4.0)),
            );
        }
        marks
    }

    /// The name of each explainer at the end of its line; names at one place move apart.
    fn draw_names(&self, places: &Places) -> Vec<Element> {
        let last_of = |line: &RankLine| {
            let defined = line.ranks.iter().enumerate();
            let last = defined
                .filter_map(|(metric, rank)| Some((metric, (*rank)?)))
                .next_back()?;
            Some(places.at(last.0, last.1).1)
        };
        let lines = self
            .lines
            .iter()
            .filter_map(|line| Some((line, last_of(line)?)));
        let mut lines: Vec<(&RankLine, f64)> = lines.collect();
        lines.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut above = f64::MIN;
        let x = places.width - AFTER + 14.0;
        let name = |(line, y): (&RankLine, f64)| {
            above = y.max(above + 15.0);
            fitting(
                &line.name,
                (AFTER - 16.0) * BOLD,
                &format!("end {}", line.style.class()),
            )
            .at("x", x)
            .at("y", above + 4.0)
        };
        lines.into_iter().map(name).collect()
    }

    fn describe(&self) -> String {
        let described = self.lines.iter().take(8).map(|line| {
            let ranks = line.ranks.iter().zip(&self.metrics);
            let first = ranks.filter(|(rank, _)| **rank == Some(1.0));
            let first: Vec<String> = first.map(|(_, metric)| shortened(metric, 40)).collect();
            match first.as_slice() {
                [] => format!("{} is alone at rank 1 by no metric.", line.name),
                first => format!("{} is at rank 1 by {}.", line.name, first.join(", ")),
            }
        });
        let described: Vec<String> = described.collect();
        format!(
            "Ranks by {} metrics. {}",
            self.metrics.len(),
            described.join(" ")
        )
    }

    fn numbers(&self) -> Table {
        let mut table = Table::new(&self.title).words("metric");
        for line in &self.lines {
            table = table.numbers(&line.name);
        }
        let rows = self.metrics.iter().enumerate().map(|(index, metric)| {
            let ranks = self.lines.iter().map(|line| {
                let rank = line.ranks.get(index).copied().flatten();
                Cell::shown_as(rank, in_own_units)
            });
            std::iter::once(Cell::words(metric)).chain(ranks).collect()
        });
        table.rows(rows)
    }
}

impl RankLine {
    /// Lines between ranks beside each other, which a missing rank interrupts, and a mark at each.
    fn draw(&self, places: &Places, metrics: &[String]) -> Vec<Element> {
        let pairs = self.ranks.windows(2).enumerate();
        let lines = pairs.filter_map(|(index, pair)| {
            let (from, to) = (pair.first().copied()??, pair.last().copied()??);
            let ends = [places.at(index, from), places.at(index + 1, to)];
            Some(self.style.line(ends))
        });
        let marks = self.ranks.iter().zip(metrics).enumerate();
        let marks = marks.filter_map(|(index, (rank, metric))| {
            let rank = (*rank)?;
            let tooltip = format!("{}, {metric}: rank {}", self.name, in_own_units(rank));
            Some(
                self.style
                    .mark(places.at(index, rank), 5.0)
                    .tooltip(tooltip),
            )
        });
        lines.chain(marks).collect()
    }
}
