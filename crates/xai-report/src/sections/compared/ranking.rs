//! Agreement of metrics on the ranks of explainers.

use std::collections::BTreeMap;

use crate::markup::{Table, number, row};
use crate::page::block::Block;
use crate::picture::{Figure, HeatMap, Picture, RankLine, Ranks, Style};
use crate::sections::compared::data::{Compared, MetricOfExplainers};

/// Pictures of the ranks and of the agreement of metrics, and the pairs that disagree.
pub(super) fn blocks(section: &Compared) -> Vec<Block> {
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

fn ranks(section: &Compared, metrics: &[&MetricOfExplainers]) -> Figure {
    let line = |(index, explainer): (usize, &String)| {
        let ranks = metrics
            .iter()
            .map(|metric| metric.ranks.get(index).copied().flatten());
        RankLine {
            name: explainer.clone(),
            style: Style::for_series(index),
            ranks: ranks.collect(),
        }
    };
    let picture = Ranks {
        metrics: metrics.iter().map(|metric| metric.title.clone()).collect(),
        lines: section.explainers.iter().enumerate().map(line).collect(),
    };
    picture.figure(
        "Rank of each explainer by metric",
        "Horizontal: rank, with 1 = best at the left; equal values share the mean of their ranks. Vertical: metrics. \
         Where lines cross, two metrics order the explainers differently.",
    )
}

fn agreement(section: &Compared) -> Figure {
    let pairs = section.agreement_of_metrics.iter();
    let mut keys: Vec<&str> = Vec::new();
    for key in pairs.clone().flat_map(|pair| [&pair.first, &pair.second]) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let taus: BTreeMap<(&str, &str), Option<f64>> = pairs
        .map(|pair| ((pair.first.as_str(), pair.second.as_str()), pair.tau))
        .collect();
    let value = |first: usize, second: usize| {
        let (first, second) = (*keys.get(first)?, *keys.get(second)?);
        let tau = taus
            .get(&(first, second))
            .or_else(|| taus.get(&(second, first)));
        tau.copied().flatten()
    };
    let names = keys.iter().map(|key| section.title(key).to_owned());
    let picture = HeatMap {
        label: "Kendall's tau".to_owned(),
        item_kind: "metric",
        names: names.collect(),
        value: &value,
        is_signed: true,
        short_names: None,
    };
    picture.figure(
        "Agreement of metrics on the order of explainers",
        "Cells: Kendall's tau of two metrics; columns are numbered like rows. Red: the same order (1). Blue: the \
         opposite order (−1). Grey: undefined.",
    )
}

/// The pairs of metrics that rank explainers against each other.
fn disagreement(section: &Compared) -> Option<Block> {
    let below = section.opposite_metrics();
    if section.agreement_of_metrics.is_empty() {
        return None;
    }
    if below.is_empty() {
        return Some(Block::Paragraph(
            "No two metrics rank the explainers against each other (tau < 0).".to_owned(),
        ));
    }
    let n = number::counted(section.agreement_of_metrics.len() as u64, "pair", "pairs");
    let rows = below.iter().map(|(pair, tau)| {
        row![
            section.title(&pair.first),
            section.title(&pair.second),
            Some(*tau)
        ]
    });
    let caption = format!("Metrics that disagree: tau < 0, {} of {n}", below.len());
    let table = Table::new(caption)
        .words(["metric", "other metric"])
        .numbers(["tau"])
        .rows(rows);
    Some(Block::Table(table))
}
