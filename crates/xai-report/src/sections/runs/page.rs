//! Parts of the page that sections about repeated runs have in common.

use crate::markup::{Cell, Table, row};
use crate::page::block::Block;
use crate::picture::{BarGroup, Bars, Figure, HeatMap, Intervals, Picture, Row};
use crate::sections::runs::data::{PairMetricSummary, RunPairs};
use crate::text::{coverage, with_arrow};

/// Figures and a table of the metrics over all pairs of runs.
pub(crate) fn metrics(section: &RunPairs) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading("Metrics over all pairs of runs"),
        Block::Figures(vec![means(section), similarity(section)]),
        Block::Table(table(section)),
    ];
    blocks.extend(Block::panels(
        "Distribution over pairs",
        "Each picture shows the share of the pairs of runs by value of the metric; ↑ higher is better, ↓ lower is better.",
        section.metrics.iter().filter_map(distribution).collect(),
    ));
    blocks
}

fn table(section: &RunPairs) -> Table {
    let rows = section.metrics.iter().map(|of| {
        let title = Cell::from(with_arrow(&of.title, of.better)).note(&of.range);
        row![title, of.mean, of.std, of.min, of.median, of.max, of.mean.n]
    });
    let interval = interval(section);
    Table::new(format!(
        "Metrics over all pairs of runs; below each mean is its {interval}"
    ))
    .words(["metric"])
    .numbers([
        "mean",
        "standard deviation",
        "min",
        "median",
        "max",
        "pairs",
    ])
    .rows(rows)
}

/// Describes the intervals: `95 % interval by a jackknife over runs`.
fn interval(section: &RunPairs) -> String {
    let method = match section.interval.as_str() {
        "bca" => "a BCa bootstrap",
        "jackknife" => "a jackknife",
        other => other,
    };
    format!("{} interval by {method} over runs", coverage(section.level))
}

/// Means of all metrics with their intervals.
fn means(section: &RunPairs) -> Figure {
    // Metrics in units of the target have other scales.
    let metrics = section
        .metrics
        .iter()
        .filter(|of| !of.range.contains("inf"));
    let rows = metrics.map(|of| Row::new(with_arrow(&of.title, of.better), 0, of.mean));
    Intervals::new("mean over the pairs", "metric", rows).figure(
        "Mean of each metric over the pairs of runs",
        format!(
            "Horizontal: mean over all pairs with its {}. ↑ higher is better, ↓ lower is better. Metrics have different \
             scales: compare runs by one metric, not metrics with each other.",
            interval(section)
        ),
    )
}

/// Heat map of the similarity of runs.
fn similarity(section: &RunPairs) -> Figure {
    let (similarity, order) = (&section.similarity, &section.similarity.order);
    let value = |row: usize, column: usize| similarity.value(*order.get(row)?, *order.get(column)?);
    let picture = HeatMap {
        label: similarity.title.clone(),
        item_kind: "run",
        names: order.iter().map(|&run| section.name(run)).collect(),
        value: &value,
        is_signed: false,
        short_names: section
            .run_names
            .is_empty()
            .then(|| order.iter().map(usize::to_string).collect()),
    };
    picture.figure(
        format!("{} of every pair of runs", similarity.title),
        "Rows and columns: runs, ordered so that similar runs are next to each other. Light: high; \
         dark: low; grey or empty: undefined, or a run with itself. Squares along the diagonal are groups of similar runs.",
    )
}

/// One small picture per metric that has values.
fn distribution(metric: &PairMetricSummary) -> Option<Figure> {
    let histogram = metric.histogram.clone()?;
    let group = BarGroup::new(&metric.title, 0, histogram, metric.mean.value);
    let picture = Bars::new("value of a pair", "pairs", vec![group]).panel();
    Some(picture.figure(with_arrow(&metric.title, metric.better), &metric.question))
}
