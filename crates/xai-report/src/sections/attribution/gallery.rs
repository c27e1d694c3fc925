//! Gallery of image maps: of each explainer those that a metric rates best and worst.

use ndarray::ArrayD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_attribution::model::Targets;
use xai_attribution::scores::MaskedScores;
use xai_attribution::table::{EvaluationTable, MetricResult};
use xai_core::tensor::{MaskScaling, mask_inputs, position_attributions};
use xai_core::{InputLayout, Result};

use crate::sections::compared::shown::{
    N_EACH, ends, first_with_better_end, image, places, range, scaled,
};

pub use crate::sections::compared::shown::ChosenSample;

/// Largest number of explainers that are shown. Of more, the first ones of the table are shown.
const MAX_EXPLAINERS: usize = 6;

/// Maps of some samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
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

/// The pictures of one sample, `height * width` pixels each, row by row. Of large images, only every n-th pixel along
/// each side is part of the pictures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GalleryPixels {
    /// Number of rows of pixels.
    pub height: usize,
    /// Number of pixels per row.
    pub width: usize,
    /// The input, scaled to [0, 1] from the smallest and the largest of its values and 0. One value per pixel, or three
    /// (red, green, blue): the first three channels if there are at least three, otherwise the first one.
    pub input: Vec<f32>,
    /// True if `input` and `masked` have three values per pixel.
    pub is_colored: bool,
    /// The map, not scaled: one value per pixel, the signed mean over channels.
    pub map: Vec<f32>,
    /// The input times the mask, scaled as `input`. The mask is the magnitude of the map (mean over channels), scaled
    /// to [0, 1]; 0 everywhere if the magnitude is constant.
    pub masked: Vec<f32>,
}

/// The samples whose maps are shown: for each explainer the best and the worst by one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct GalleryChoice {
    /// The metric that the samples are chosen by: Average Drop if the table has it, because the pictures show what it
    /// measures, otherwise the first metric with a direction.
    pub metric: String,
    /// The samples of each explainer, best first, for at most the first six explainers of the table.
    pub samples: Vec<Vec<ChosenSample>>,
}

/// Data of the pictures of one explainer, with one row per chosen sample.
#[derive(Debug, Clone, Copy)]
pub struct GalleryData<'a> {
    /// The inputs: images, with or without an axis of channels.
    pub inputs: &'a ArrayD<f32>,
    /// The layout of the inputs.
    pub layout: InputLayout,
    /// The maps.
    pub maps: &'a ArrayD<f32>,
    /// The targets.
    pub targets: &'a Targets,
    /// The model's scores of the inputs and of the masked inputs.
    pub scores: &'a MaskedScores,
}

impl GalleryChoice {
    /// Chooses the samples; `None` if no metric of the table has a direction (higher or lower is better).
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

    /// Creates the gallery from the items of all explainers; `None` without items.
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
    /// Creates the items of one explainer, from data with one row per chosen sample.
    ///
    /// # Errors
    /// As [`mask_inputs`]: maps that do not fit the inputs, no samples or elements, values that are not finite, or
    /// channels whose sum is too large.
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

/// The metric that samples are chosen by, see [`GalleryChoice::metric`].
fn chosen(metrics: &[MetricResult]) -> Option<&MetricResult> {
    let drop = metrics
        .iter()
        .find(|metric| metric.metric == "average_drop");
    drop.or_else(|| first_with_better_end(metrics))
}

/// The pictures of the sample in a row of the data. Empty if the samples are not images.
fn pixels(
    inputs: &ArrayD<f32>,
    masked: &ArrayD<f32>,
    map: &[f32],
    layout: InputLayout,
    row: usize,
) -> GalleryPixels {
    let (input, masked) = (image(inputs, layout, row), image(masked, layout, row));
    let (Some(input), Some(masked)) = (input, masked) else {
        return GalleryPixels::default();
    };
    // One scale for both pictures, so that they can be compared. It includes 0, the value of removed pixels.
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
