//! The section of attribution maps.

mod metrics;
pub(super) mod pictures;
mod ranking;
mod reliability;

use crate::family::Family;
use crate::markup::number;
use crate::page::block::{Block, Section, n_of};
use crate::section::attribution::Attribution;
use crate::text::coverage;

/// The section with its pictures and tables; images have at most so many pixels on a side.
pub(super) fn section(section: &Attribution, most_pixels: usize) -> Section<'_> {
    Section {
        family: Family::Attribution,
        origin: &section.origin,
        about: format!(
            "{}, {} by {}. Activation of the model's outputs: {}. The model was asked for {}.",
            n_of(section.n_samples, "sample", "samples"),
            n_of(section.explainers.len(), "explainer", "explainers"),
            n_of(section.metrics.len(), "metric", "metrics"),
            section.activation,
            number::of_kind(section.model_rows, "row", "rows"),
        ),
        blocks: blocks(section, most_pixels),
    }
}

fn blocks(section: &Attribution, most_pixels: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !section.metrics.is_empty() {
        let words = format!(
            "Each picture: the mean over samples of each explainer, with its {} interval; ↑ higher is better, ↓ lower \
             is better. A ring marks the best.",
            coverage(section.level)
        );
        let panels = pictures::metrics(section);
        blocks.extend(Block::panels("Explainers by metric", &words, panels));
        blocks.push(Block::Table(metrics::values(section)));
        blocks.extend(metrics::differences(section));
    }
    blocks.extend(Block::figures(
        "Scores while positions are removed or restored",
        pictures::curves(section),
    ));
    blocks.extend(ranking::blocks(section));
    blocks.extend(reliability::blocks(section));
    if let Some(gallery) = &section.gallery {
        blocks.extend(pictures::blocks(section, gallery, most_pixels));
    }
    blocks
}
