//! Which metrics rank explainers alike, and which do not.

use std::collections::BTreeMap;

use crate::markup::{Cell, Table, number};
use crate::page::block::Block;
use crate::picture::{Figure, HeatMap, RankLine, Ranks, Style};
use crate::section::attribution::{Attribution, MetricOfExplainers};

/// Pictures of the ranks and of the agreement of metrics, and the pairs that disagree.
pub(super) fn blocks(section: &Attribution) -> Vec<Block> {
    let ranked: Vec<&MetricOfExplainers> = section
        .metrics
        .iter()
        .filter(|metric| metric.ranks.iter().any(Option::is_some))
        .collect();
    if ranked.len() < 2 || section.explainers.len() < 2 {
        return Vec::new();
    }
    let mut figures = vec![ranks(section, &ranked)];
    if !section.agreement_of_metrics.is_empty() {
        figures.push(agreement(section));
    }
    let mut blocks = vec![
        Block::Heading("Ranks of the explainers: which metrics disagree?"),
        Block::Figures(figures),
    ];
    blocks.extend(disagreement(section));
    blocks
}

fn ranks(section: &Attribution, metrics: &[&MetricOfExplainers]) -> Figure {
    let lines = section
        .explainers
        .iter()
        .enumerate()
        .map(|(index, explainer)| {
            let ranks = metrics
                .iter()
                .map(|metric| metric.ranks.get(index).copied().flatten());
            RankLine {
                name: explainer.clone(),
                style: Style::of(index),
                ranks: ranks.collect(),
            }
        });
    let picture = Ranks {
        title: "Rank of each explainer by metric".to_owned(),
        caption: "Across: metrics. Up: the rank, 1 = best, at the top; equals stand between ranks. Lines that \
                  cross are explainers that two metrics order differently."
            .to_owned(),
        line_kind: "explainer",
        metrics: metrics.iter().map(|metric| metric.title.clone()).collect(),
        lines: lines.collect(),
    };
    picture.figure()
}

fn agreement(section: &Attribution) -> Figure {
    let pairs = &section.agreement_of_metrics;
    let mut keys: Vec<&str> = Vec::new();
    for key in pairs
        .iter()
        .flat_map(|pair| [pair.first.as_str(), pair.second.as_str()])
    {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let taus: BTreeMap<(&str, &str), Option<f64>> = pairs
        .iter()
        .map(|pair| ((pair.first.as_str(), pair.second.as_str()), pair.tau))
        .collect();
    let value = |first: usize, second: usize| {
        let (first, second) = (*keys.get(first)?, *keys.get(second)?);
        taus.get(&(first, second))
            .or_else(|| taus.get(&(second, first)))
            .copied()
            .flatten()
    };
    let picture = HeatMap {
        title: "Agreement of metrics on the order of explainers".to_owned(),
        caption: "Each cell: Kendall's tau of two metrics; columns have the numbers of the rows. Red: the same order (1); \
                  blue: the opposite one (−1); grey: undefined."
            .to_owned(),
        label: "Kendall's tau".to_owned(),
        item_kind: "metric",
        names: keys.iter().map(|key| section.title(key).to_owned()).collect(),
        value: &value,
        is_signed: true,
        short_names: None,
    };
    picture.figure()
}

/// The pairs of metrics that rank explainers against each other.
fn disagreement(section: &Attribution) -> Option<Block> {
    let below = section.opposite_metrics();
    if section.agreement_of_metrics.is_empty() {
        return None;
    }
    if below.is_empty() {
        return Some(Block::Words(
            "No two metrics rank the explainers against each other (tau < 0).".to_owned(),
        ));
    }
    let n = number::of_kind(section.agreement_of_metrics.len() as u64, "pair", "pairs");
    let rows = below.iter().map(|(pair, tau)| {
        vec![
            Cell::words(section.title(&pair.first)),
            Cell::words(section.title(&pair.second)),
            Cell::number(Some(*tau)),
        ]
    });
    let caption = format!("Metrics that disagree: tau < 0, {} of {n}", below.len());
    let table = Table::new(caption)
        .words("metric")
        .words("other metric")
        .numbers("tau")
        .rows(rows);
    Some(Block::Table(table))
}
