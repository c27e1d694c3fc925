//! Pictures of the curves behind metrics, and of maps.

use crate::page::block::Block;
use crate::picture::{Axis, Figure, LineChart, Picture, Series, Tiles, nice_domain};
use crate::section::attribution::{Attribution, Curve, CurvesOfMetric};
use crate::section::gallery::{Gallery, GalleryItem};
use crate::text::with_arrow;

/// One picture per metric that is an area under a curve.
pub(super) fn curves(section: &Attribution) -> Vec<Figure> {
    let curves = section.curves.iter();
    curves.map(|curves| of_curves(section, curves)).collect()
}

fn of_curves(section: &Attribution, curves: &CurvesOfMetric) -> Figure {
    let points = || curves.curves.iter().flat_map(|curve| &curve.points);
    let farthest = points().map(|point| point.n_flipped).max().unwrap_or(1);
    let series = curves.curves.iter().map(|curve| series(section, curve));
    let picture = LineChart {
        x: Axis::new("positions changed", (0.0, farthest as f64)),
        y: Axis::new("mean score", nice_domain(points().map(|point| point.score))),
        series_kind: "explainer",
        series: series.collect(),
        reference: None,
        is_panel: false,
    };
    let title = with_arrow(&format!("Curves of {}", curves.title), curves.better);
    picture.figure(
        title,
        "Across: positions changed, in the order of the map. Up: the model's score, mean over samples. The arrow \
         of the title says which area under the curve is better.",
    )
}

fn series(section: &Attribution, curve: &Curve) -> Series {
    let points = curve.points.iter();
    let points = points.map(|point| (point.n_flipped as f64, point.score));
    Series::without_intervals(
        &curve.explainer,
        section.compared.place(&curve.explainer),
        points,
    )
}

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
    let metric = section.compared.title(&gallery.metric);
    let figures = section.compared.explainers.iter().filter_map(|explainer| {
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
             target: of the whole input, and of the input times the map scaled to [0, 1]; value is the {metric} of the \
             sample. Where an explainer gives signs, what is above 0 speaks for the target. Each map has colours up to \
             its own largest size (±).",
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
        metric,
        items,
        most_pixels,
    };
    let caption = format!("Red: above 0; blue: below 0.{reduced}");
    picture.figure(format!("Maps of {explainer}"), caption)
}
