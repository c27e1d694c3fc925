//! The page of attribution maps.

use crate::markup::number;
use crate::page::block::{Block, n_of};
use crate::sections::attribution::data::Attribution;
use crate::sections::attribution::pictures;
use crate::sections::compared;

pub(super) fn blocks(section: &Attribution, max_pixels: usize) -> Vec<Block> {
    let of = &section.compared;
    let at_once = section.batch_size.map_or_else(String::new, |rows| {
        format!(", at most {} per call", number::count(rows as u64))
    });
    let about = format!(
        "{}, {} by {}. Activation of the model's outputs: {}. The model was asked for {}{at_once}.",
        n_of(of.n_samples, "sample", "samples"),
        n_of(of.explainers.len(), "explainer", "explainers"),
        n_of(of.metrics.len(), "metric", "metrics"),
        section.activation,
        number::counted(section.model_rows, "row", "rows"),
    );
    let mut blocks = vec![Block::Paragraph(about)];
    blocks.extend(compared::values(of));
    blocks.extend(Block::figures(
        "Scores while positions are removed or restored",
        pictures::curves(section),
    ));
    blocks.extend(compared::judged(of));
    if let Some(gallery) = &section.gallery {
        blocks.extend(pictures::maps(section, gallery, max_pixels));
    }
    blocks
}
