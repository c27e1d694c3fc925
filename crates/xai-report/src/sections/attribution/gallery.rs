//! Some maps of images: those that a metric finds best and worst.

use ndarray::ArrayD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_attribution::evaluation::{EvaluationTable, MetricResult};
use xai_attribution::model::Targets;
use xai_attribution::run::MaskedScores;
use xai_core::tensor::{MaskScaling, mask_inputs, position_attributions};
use xai_core::{Layout, Result};

use crate::sections::compared::shown::{
    N_EACH, ends, first_with_better_end, image, places, range, scaled,
};

pub use crate::sections::compared::shown::ChosenSample;

/// Largest number of explainers that are shown: the first ones of the table.
const MAX_EXPLAINERS: usize = 6;

/// Maps of some samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gallery {
    /// The metric that the samples were chosen by.
    pub metric: String,
    /// Samples per explainer at each end.
    pub n_each: usize,
    /// The samples, by explainer, best first.
    pub items: Vec<GalleryItem>,
}

/// The map of one sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GalleryItem {
    /// The sample, from 0.
    pub sample: usize,
    /// The explainer.
    pub explainer: String,
    /// True for one of the best samples, false for one of the worst.
    pub is_best: bool,
    /// Its value by the metric of the gallery.
    pub value: f64,
    /// The target class, where targets are classes.
    pub target: Option<i64>,
    /// The model's score of the whole input.
    pub score: f64,
    /// The model's score of what the map keeps; `None` for a constant map, which has no mask.
    pub score_masked: Option<f64>,
    /// The pixels, for the page alone.
    #[serde(skip)]
    pub pixels: GalleryPixels,
}

/// The pictures of one sample: rows of pixels, `height * width` each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GalleryPixels {
    /// Rows.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// The input, in [0, 1]: one value a pixel, or three (red, green, blue).
    pub input: Vec<f32>,
    /// True if the input has three values per pixel.
    pub is_colored: bool,
    /// The map, the mean over channels, in its own units.
    pub map: Vec<f32>,
    /// The input times the map scaled to [0, 1], scaled as the input is.
    pub masked: Vec<f32>,
}

/// The samples whose maps are shown: of each explainer the best and the worst by one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct GalleryChoice {
    /// The metric that the samples are chosen by: Average Drop, which the pictures show, or else
    /// the first that has a better end.
    pub metric: String,
    /// The samples of each explainer, best first. The first explainers of many.
    pub samples: Vec<Vec<ChosenSample>>,
}

/// Data of the pictures of one explainer, with one row per chosen sample.
#[derive(Debug, Clone, Copy)]
pub struct GalleryData<'a> {
    /// The inputs, images in a layout with channels.
    pub inputs: &'a ArrayD<f32>,
    /// The layout of the inputs.
    pub layout: Layout,
    /// The maps.
    pub maps: &'a ArrayD<f32>,
    /// The targets.
    pub targets: &'a Targets,
    /// The model's scores of the inputs, and of what the maps keep.
    pub scores: &'a MaskedScores,
}

impl GalleryChoice {
    /// The samples to be shown; `None` where no metric of the table has a better end.
    #[must_use]
    pub fn new(table: &EvaluationTable) -> Option<Self> {
        let metric = chosen(&table.metrics)?;
        let n_explainers = table.explainers.len().min(MAX_EXPLAINERS);
        Some(Self {
            metric: metric.metric.clone(),
            samples: (0..n_explainers)
                .map(|explainer| ends(metric, explainer))
                .collect(),
        })
    }

    /// The gallery of the items of all explainers; `None` without items.
    #[must_use]
    pub fn gallery(self, items: Vec<GalleryItem>) -> Option<Gallery> {
        (!items.is_empty()).then_some(Gallery {
            metric: self.metric,
            n_each: N_EACH,
            items,
        })
    }
}

impl GalleryItem {
    /// The items of one explainer.
    ///
    /// # Errors
    /// As [`mask_inputs`]: maps that do not fit the inputs, or are not finite.
    pub fn for_explainer(
        explainer: &str,
        chosen: &[ChosenSample],
        data: GalleryData<'_>,
    ) -> Result<Vec<Self>> {
        let (inputs, layout) = (data.inputs, data.layout);
        let scaling = MaskScaling::Relative;
        let masked = mask_inputs(inputs.view(), data.maps.view(), layout, scaling)?.inputs;
        let attributions = position_attributions(data.maps.view(), inputs.shape(), layout)?;
        let n_positions = attributions.len() / chosen.len().max(1);
        let items = chosen.iter().enumerate().map(|(i, chosen)| {
            let map = &attributions[i * n_positions..(i + 1) * n_positions];
            Self {
                sample: chosen.sample,
                explainer: explainer.to_owned(),
                is_best: chosen.is_best,
                value: chosen.value,
                target: match data.targets {
                    Targets::Classes(classes) => classes.get(i).copied(),
                    Targets::Rows(_) => None,
                },
                score: data.scores.base[i],
                score_masked: data.scores.masked[i],
                pixels: pixels(inputs, &masked, map, layout, i),
            }
        });
        Ok(items.collect())
    }
}

/// The metric that samples are chosen by: Average Drop, which the pictures show, else the first that has a
/// better end.
fn chosen(metrics: &[MetricResult]) -> Option<&MetricResult> {
    let drop = metrics
        .iter()
        .find(|metric| metric.metric == "average_drop");
    drop.or_else(|| first_with_better_end(metrics))
}

/// The pictures of one of some samples.
fn pixels(
    inputs: &ArrayD<f32>,
    masked: &ArrayD<f32>,
    map: &[f32],
    layout: Layout,
    row: usize,
) -> GalleryPixels {
    let (input, masked) = (image(inputs, layout, row), image(masked, layout, row));
    let (Some(input), Some(masked)) = (input, masked) else {
        return GalleryPixels::default();
    };
    // One scale for both pictures, in which a removed value has its own brightness.
    let range = range(&input);
    let (_, width, _) = input.dim();
    let map = places(&input).map(|(y, x)| map[y * width + x]).collect();
    let (masked, ..) = scaled(&masked, range);
    let (input, (height, width), is_colored) = scaled(&input, range);
    GalleryPixels {
        height,
        width,
        map,
        input,
        masked,
        is_colored,
    }
}
