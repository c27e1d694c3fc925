//! Page of sections that compare explainers by metrics.

use crate::page::block::Block;
use crate::picture::{Figure, Intervals, Picture, Row};
use crate::sections::compared::data::{Compared, MetricOfExplainers};
use crate::sections::compared::metrics::{differences, is_best, table};
use crate::sections::compared::ranking;
use crate::sections::compared::reliability;
use crate::text::{coverage, with_arrow};

/// The values of all explainers by all metrics, and their differences.
pub(crate) fn values(section: &Compared) -> Vec<Block> {
    if section.metrics.is_empty() {
        return Vec::new();
    }
    let words = format!(
        "Mean over samples of each explainer, with its {} interval; ↑ higher is better, ↓ lower is better. A ring \
         marks the best explainer.",
        coverage(section.level)
    );
    let panels = section.metrics.iter().map(|metric| panel(section, metric));
    let mut blocks = Block::panels("Explainers by metric", words, panels.collect());
    blocks.push(Block::Table(table(section)));
    blocks.extend(differences(section));
    blocks
}

/// One small picture per metric.
fn panel(section: &Compared, metric: &MetricOfExplainers) -> Figure {
    let values = section.explainers.iter().zip(&metric.values).enumerate();
    let rows = values.map(|(index, (explainer, estimate))| Row {
        is_best: is_best(metric, index),
        ..Row::new(explainer, index, *estimate)
    });
    let (label, caption) = match (metric.range.as_str(), metric.question.as_str()) {
        ("", _) => ("mean over samples".to_owned(), "Mean over samples."),
        (range, question) => (format!("mean; range {range}"), question),
    };
    let picture = Intervals {
        is_panel: true,
        ..Intervals::new(label, "explainer", rows)
    };
    picture.figure(with_arrow(&metric.title, metric.better), caption)
}

/// Blocks about the agreement and the reliability of the metrics.
pub(crate) fn judged(section: &Compared) -> Vec<Block> {
    let mut blocks = ranking::blocks(section);
    blocks.extend(reliability::blocks(section));
    blocks
}
