//! Explainers by metrics, as sections of several families show them.

mod metrics;
mod pictures;
mod ranking;
mod reliability;

use crate::page::block::Block;
use crate::section::compared::Compared;
use crate::text::coverage;

/// The values of all explainers by all metrics, and their differences.
pub(super) fn values(section: &Compared) -> Vec<Block> {
    if section.metrics.is_empty() {
        return Vec::new();
    }
    let words = format!(
        "Each picture: the mean over samples of each explainer, with its {} interval; ↑ higher is better, ↓ lower \
         is better. A ring marks the best.",
        coverage(section.level)
    );
    let panels = pictures::metrics(section);
    let mut blocks = Block::panels("Explainers by metric", &words, panels);
    blocks.push(Block::Table(metrics::values(section)));
    blocks.extend(metrics::differences(section));
    blocks
}

/// Which metrics rank the explainers alike, and which to believe.
pub(super) fn judged(section: &Compared) -> Vec<Block> {
    let mut blocks = ranking::blocks(section);
    blocks.extend(reliability::blocks(section));
    blocks
}
