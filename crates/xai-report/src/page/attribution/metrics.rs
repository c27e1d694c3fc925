//! Tables of metrics and of differences between explainers.

use crate::markup::number::in_own_units;
use crate::markup::{Cell, Element, Table, name, number};
use crate::page::block::Block;
use crate::section::attribution::{Attribution, Comparison, MetricOfExplainers};
use crate::text::with_arrow;

/// Explainer × metric: value, interval, rank.
pub(super) fn values(section: &Attribution) -> Table {
    let mut table =
        Table::new("Mean over samples, 95 % interval, and rank (1 = best) of each explainer")
            .words("explainer");
    for metric in &section.metrics {
        table = table.column(head(metric), true);
    }
    let rows = section
        .explainers
        .iter()
        .enumerate()
        .map(|(index, explainer)| {
            let cells = section.metrics.iter().map(|metric| cell(metric, index));
            std::iter::once(Cell::words(explainer))
                .chain(cells)
                .collect()
        });
    table.rows(rows)
}

fn head(metric: &MetricOfExplainers) -> Element {
    let note = |text: &str| Element::of("small", "note").child(name(text));
    Element::new("div")
        .child(name(&metric.title))
        .child(note(&metric.range))
        .child(note(number::which_is_better(metric.better)))
}

fn cell(metric: &MetricOfExplainers, index: usize) -> Cell {
    let Some(estimate) = metric.values.get(index) else {
        return Cell::number(None);
    };
    let cell = Cell::estimate(estimate);
    match metric.ranks.get(index).copied().flatten() {
        Some(rank) if is_best(metric, index) => cell
            .note(format!("★ best, rank {}", in_own_units(rank)))
            .class("best-cell"),
        Some(rank) => cell.note(format!("rank {}", in_own_units(rank))),
        None => cell,
    }
}

/// Whether an explainer has the best rank of a metric by which they differ.
pub(super) fn is_best(metric: &MetricOfExplainers, index: usize) -> bool {
    let ranks = || metric.ranks.iter().flatten().copied();
    let (best, worst) = (
        ranks().fold(f64::INFINITY, f64::min),
        ranks().fold(f64::NEG_INFINITY, f64::max),
    );
    let rank = metric.ranks.get(index).copied().flatten();
    best < worst && rank == Some(best)
}

/// The differences that are significant after correction, and how many pairs were compared.
pub(super) fn differences(section: &Attribution) -> Vec<Block> {
    let compared = section.metrics.iter();
    let compared: Vec<(&MetricOfExplainers, &Comparison)> = compared
        .flat_map(|metric| {
            metric
                .comparisons
                .iter()
                .map(move |comparison| (metric, comparison))
        })
        .collect();
    if compared.is_empty() {
        return Vec::new();
    }
    let significant = compared
        .iter()
        .filter(|(_, comparison)| comparison.significant);
    let rows: Vec<Vec<Cell>> = significant
        .map(|(metric, comparison)| row(metric, comparison))
        .collect();
    let words = Block::Words(format!(
        "{} of {} of explainers differ by a metric: Wilcoxon's signed-rank test over samples, below 0.05 after \
         Holm's correction for all pairs of the metric.",
        rows.len(),
        number::of_kind(compared.len() as u64, "pair", "pairs"),
    ));
    if rows.is_empty() {
        return vec![words];
    }
    let table = Table::new("Differences that are significant after Holm's correction")
        .words("metric")
        .words("the test speaks for")
        .words("against")
        .numbers("mean difference")
        .numbers("p")
        .numbers("p after correction")
        .rows(rows);
    vec![words, Block::Table(table)]
}

fn row(metric: &MetricOfExplainers, comparison: &Comparison) -> Vec<Cell> {
    let favoured = comparison.favours.as_deref();
    let (winner, loser) = match favoured {
        Some(name) if name == comparison.second => (name, comparison.first.as_str()),
        Some(name) => (name, comparison.second.as_str()),
        None => (comparison.first.as_str(), comparison.second.as_str()),
    };
    let winner = match favoured {
        Some(_) => winner.to_owned(),
        None => format!("neither end is better: {winner}"),
    };
    vec![
        Cell::words(with_arrow(&metric.title, metric.better)),
        Cell::words(winner),
        Cell::words(loser),
        Cell::number(comparison.difference),
        Cell::shown_as(comparison.p_value, number::p_value),
        Cell::shown_as(comparison.p_corrected, number::p_value),
    ]
}
