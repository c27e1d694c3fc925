//! Tables of metrics and of differences between explainers.

use crate::markup::number::{self, in_own_units};
use crate::markup::{Cell, Table, head, name, row};
use crate::page::block::Block;
use crate::sections::compared::data::{Compared, Comparison, MetricOfExplainers};
use crate::text::{coverage, with_arrow};

/// Explainer × metric: value, interval, rank.
pub(super) fn table(section: &Compared) -> Table {
    let caption = format!(
        "Mean over samples, {} interval, and rank (1 = best) of each explainer",
        coverage(section.level)
    );
    let explainer_column = Table::new(caption).words(["explainer"]);
    let table = section
        .metrics
        .iter()
        .fold(explainer_column, |table, metric| {
            let title = name(&with_arrow(&metric.title, metric.better));
            table.number(head(title, name(&metric.range)))
        });
    let explainers = section.explainers.iter().enumerate();
    table.rows(explainers.map(|(index, explainer)| {
        let cells = section.metrics.iter().map(|metric| cell(metric, index));
        std::iter::once(Cell::from(explainer))
            .chain(cells)
            .collect()
    }))
}

fn cell(metric: &MetricOfExplainers, index: usize) -> Cell {
    let estimate = metric.values.get(index).copied().unwrap_or_default();
    let cell = Cell::from(estimate);
    let rank = metric.ranks.get(index).copied().flatten();
    match rank.filter(|_| index < metric.values.len()) {
        Some(rank) if is_best(metric, index) => cell
            .note(format!("★ best, rank {}", in_own_units(rank)))
            .class("best-cell"),
        Some(rank) => cell.note(format!("rank {}", in_own_units(rank))),
        None => cell,
    }
}

/// True if an explainer has the best rank of a metric whose ranks differ.
pub(super) fn is_best(metric: &MetricOfExplainers, index: usize) -> bool {
    let ranks = metric.ranks.iter().flatten().copied();
    let (best, worst) = (
        ranks.clone().fold(f64::INFINITY, f64::min),
        ranks.fold(f64::NEG_INFINITY, f64::max),
    );
    let rank = metric.ranks.get(index).copied().flatten();
    best < worst && rank == Some(best)
}

/// The differences that are significant after correction, and how many pairs were compared.
pub(super) fn differences(section: &Compared) -> Vec<Block> {
    let metrics = section.metrics.iter();
    let compared =
        metrics.flat_map(|metric| metric.comparisons.iter().map(move |pair| (metric, pair)));
    let n = compared.clone().count();
    let significant = compared.filter(|(_, pair)| pair.significant);
    let rows: Vec<Vec<Cell>> = significant
        .map(|(metric, pair)| difference_row(metric, pair))
        .collect();
    if n == 0 {
        return Vec::new();
    }
    let mut blocks = vec![Block::Paragraph(format!(
        "{} of {} of explainers differ significantly by a metric (Wilcoxon's signed-rank test over samples, p below \
         {} after Holm's correction for all pairs of the metric).",
        rows.len(),
        number::counted(n as u64, "pair", "pairs"),
        section.alpha(),
    ))];
    let n_rows = rows.len();
    let table = Table::new("Differences that are significant after Holm's correction")
        .words(["metric", "better explainer", "worse explainer"])
        .numbers(["mean difference", "p", "p after correction"])
        .rows(rows);
    match n_rows {
        0 => {}
        1..=MAX_OPEN_ROWS => blocks.push(Block::Table(table)),
        _ => {
            let title = format!("All {n_rows} significant differences");
            blocks.push(Block::folded(title, vec![Block::Table(table)]));
        }
    }
    blocks
}

/// Largest number of significant differences that are listed openly.
const MAX_OPEN_ROWS: usize = 8;

fn difference_row(metric: &MetricOfExplainers, pair: &Comparison) -> Vec<Cell> {
    let favoured = pair.favours.as_ref();
    let (winner, loser) = if favoured == Some(&pair.second) {
        (&pair.second, &pair.first)
    } else {
        (&pair.first, &pair.second)
    };
    let winner = match favoured {
        Some(_) => winner.clone(),
        None => format!("no better direction: {winner}"),
    };
    row![
        with_arrow(&metric.title, metric.better),
        winner,
        loser,
        pair.difference,
        Cell::shown_as(pair.p_value, number::p_value),
        Cell::shown_as(pair.p_corrected, number::p_value),
    ]
}
