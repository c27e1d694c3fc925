//! Pictures of the curves behind metrics, and of maps.

use crate::page::block::Block;
use crate::picture::{Axis, Figure, LineChart, Picture, Point, nice_domain};
use crate::sections::attribution::data::{Attribution, Curve, CurvesOfMetric};
use crate::sections::attribution::gallery::{Gallery, GalleryItem};
use crate::sections::attribution::tiles::{IMAGES, Tiles};
use crate::text::with_arrow;

/// One picture per metric that is an area under a curve.
pub(super) fn curves(section: &Attribution) -> Vec<Figure> {
    let curves = section.curves.iter();
    curves.map(|curves| line_chart(section, curves)).collect()
}

fn line_chart(section: &Attribution, curves: &CurvesOfMetric) -> Figure {
    let points = || curves.curves.iter().flat_map(|curve| &curve.points);
    let farthest = points().map(|point| point.n_flipped).max().unwrap_or(1);
    let series = |curve: &Curve| {
        let points = curve
            .points
            .iter()
            .map(|point| Point::new(point.n_flipped as f64, point.score));
        section.compared.series(&curve.explainer, points)
    };
    let picture = LineChart::new(
        "explainer",
        Axis::new("positions changed", (0.0, farthest as f64)),
        Axis::new("mean score", nice_domain(points().map(|point| point.score))),
        curves.curves.iter().map(series),
    );
    picture.figure(
        with_arrow(&format!("Curves of {}", curves.title), curves.better),
        "Horizontal: number of changed positions, in the order of the map. Vertical: score of the model, mean over \
         samples. The arrow in the title shows whether a larger or a smaller area under the curve is better.",
    )
}

/// Number of images of the samples that are shown.
pub(super) fn n_images(section: &Attribution) -> usize {
    let gallery = section.gallery.as_ref();
    gallery.map_or(0, |gallery| gallery.items.len() * IMAGES)
}

/// One picture per explainer.
pub(super) fn maps(section: &Attribution, gallery: &Gallery, max_pixels: usize) -> Vec<Block> {
    let metric = section.compared.title(&gallery.metric);
    let figures = section.compared.explainers.iter().filter_map(|explainer| {
        let items: Vec<&GalleryItem> = gallery
            .items
            .iter()
            .filter(|item| item.explainer == *explainer)
            .collect();
        (!items.is_empty()).then(|| figure(explainer, items, metric, max_pixels))
    });
    let figures: Vec<Figure> = figures.collect();
    if figures.is_empty() {
        return Vec::new();
    }
    vec![
        Block::Heading("Maps of the best and of the worst samples"),
        Block::Paragraph(format!(
            "Up to {} samples with the best and the worst {metric} of each explainer. Score is the model's output for the \
             target, for the whole input and for the input times the map scaled to [0, 1]; value is the {metric} of the \
             sample. In signed maps, positive values are evidence for the target. The colours of each map range up to its \
             own largest magnitude (±).",
            gallery.n_each
        )),
        Block::Figures(figures),
    ]
}

fn figure(explainer: &str, items: Vec<&GalleryItem>, metric: &str, max_pixels: usize) -> Figure {
    let sides = items.iter().map(|it| it.pixels.height.max(it.pixels.width));
    let reduced = if sides.max() > Some(max_pixels) {
        " Images are reduced by averaging over squares of pixels."
    } else {
        ""
    };
    let picture = Tiles {
        metric,
        items,
        max_pixels,
    };
    let caption = format!("Red: above 0; blue: below 0.{reduced}");
    picture.figure(format!("Maps of {explainer}"), caption)
}
