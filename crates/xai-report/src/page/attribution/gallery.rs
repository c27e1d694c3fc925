//! Maps of some samples, where inputs are images.

use crate::page::block::Block;
use crate::picture::figure::Figure;
use crate::picture::tiles::Tiles;
use crate::section::attribution::Attribution;
use crate::section::gallery::{Gallery, GalleryItem};

/// The most pixels on a side of an image.
const MOST: usize = 112;

/// The pixels of all images of a page together, about: a page stays small enough to be sent.
const ALL: usize = 700_000;

/// Images of one sample: the input, the map, the masked input.
const IMAGES: usize = 3;

/// The pixels on a side that the images of all sections may have.
pub(in crate::page) fn most_pixels(sections: &[Attribution]) -> usize {
    let galleries = sections
        .iter()
        .filter_map(|section| section.gallery.as_ref());
    let n: usize = galleries.map(|gallery| gallery.items.len()).sum();
    let side = (ALL as f64 / (n * IMAGES).max(1) as f64).sqrt() as usize;
    side.clamp(8, MOST)
}

/// One picture per explainer.
pub(super) fn blocks(section: &Attribution, gallery: &Gallery, most_pixels: usize) -> Vec<Block> {
    let metric = section.title(&gallery.metric);
    let figures = section.explainers.iter().filter_map(|explainer| {
        let items = gallery
            .items
            .iter()
            .filter(|item| item.explainer == *explainer);
        let items: Vec<&GalleryItem> = items.collect();
        (!items.is_empty()).then(|| figure(explainer, items, metric, most_pixels))
    });
    let figures: Vec<Figure> = figures.collect();
    if figures.is_empty() {
        return Vec::new();
    }
    vec![
        Block::Heading("Maps of the best and of the worst samples"),
        Block::Words(format!(
            "Up to {} samples at either end of {metric}, of each explainer. Score is the model's answer for the \
             target: of the whole input, and of the input times the map scaled to [0, 1].",
            gallery.n_each
        )),
        Block::Figures(figures),
    ]
}

fn figure(explainer: &str, items: Vec<&GalleryItem>, metric: &str, most_pixels: usize) -> Figure {
    let is_reduced = items
        .iter()
        .any(|item| item.pixels.height.max(item.pixels.width) > most_pixels);
    let reduced = match is_reduced {
        true => " Images are reduced by averaging over squares of pixels.",
        false => "",
    };
    let picture = Tiles {
        title: format!("Maps of {explainer}"),
        caption: format!(
            "Red: above 0; blue: below 0; white: 0. Where an explainer gives signs, what is above 0 speaks for the \
             target. Each map has colours up to its own largest size (±). Value: {metric} of the sample.{reduced}"
        ),
        metric,
        items,
        most_pixels,
    };
    picture.figure()
}
