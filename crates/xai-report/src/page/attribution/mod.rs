//! The section of attribution maps.

pub(super) mod pictures;

use crate::family::Family;
use crate::markup::number;
use crate::page::block::{Block, Section, n_of};
use crate::page::compared;
use crate::section::attribution::Attribution;

/// The section with its pictures and tables; images have at most so many pixels on a side.
pub(super) fn section(section: &Attribution, most_pixels: usize) -> Section<'_> {
    Section {
        family: Family::Attribution,
        origin: &section.origin,
        about: format!(
            "{}, {} by {}. Activation of the model's outputs: {}. The model was asked for {}.",
            n_of(section.compared.n_samples, "sample", "samples"),
            n_of(section.compared.explainers.len(), "explainer", "explainers"),
            n_of(section.compared.metrics.len(), "metric", "metrics"),
            section.activation,
            number::of_kind(section.model_rows, "row", "rows"),
        ),
        blocks: blocks(section, most_pixels),
    }
}

fn blocks(section: &Attribution, most_pixels: usize) -> Vec<Block> {
    let mut blocks = compared::values(&section.compared);
    blocks.extend(Block::figures(
        "Scores while positions are removed or restored",
        pictures::curves(section),
    ));
    blocks.extend(compared::judged(&section.compared));
    if let Some(gallery) = &section.gallery {
        blocks.extend(pictures::blocks(section, gallery, most_pixels));
    }
    blocks
}
