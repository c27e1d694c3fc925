//! The section of attribution maps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_metrics::core::Direction;

use super::estimate::Estimate;
use super::origin::Origin;

/// How good are attribution maps of a model?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Attribution {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// Samples that are explained.
    pub(crate) n_samples: usize,
    /// What is applied to the model's outputs.
    pub(crate) activation: String,
    /// Rows that the model was asked for.
    pub(crate) model_rows: u64,
    /// The explainers, in the order of the study.
    pub(crate) explainers: Vec<String>,
    /// What each metric says of all explainers.
    pub(crate) metrics: Vec<MetricOfExplainers>,
    /// Curves of the metrics that are areas under one.
    pub(crate) curves: Vec<CurvesOfMetric>,
    /// How far the metrics rank the explainers alike: Kendall's tau-b of every pair of metrics that have a
    /// better end and values of at least three explainers.
    pub(crate) agreement_of_metrics: Vec<RankAgreement>,
    /// Some maps, where the inputs are images.
    pub(crate) gallery: Option<Gallery>,
}

/// One metric, of every explainer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct MetricOfExplainers {
    /// Its name in JSON: `average_drop`.
    pub(crate) metric: String,
    /// What people call it.
    pub(crate) title: String,
    /// What it asks.
    pub(crate) question: String,
    /// Which end of its scale is the good one.
    #[schemars(with = "String", extend("enum" = ["higher", "lower", "none"]))]
    pub(crate) better: Direction,
    /// Whether it asks the model; what does not judges the form of the maps alone.
    pub(crate) asks_model: bool,
    /// The values it can have.
    pub(crate) range: String,
    /// The mean over samples of each explainer, in the order of [`Attribution::explainers`].
    pub(crate) values: Vec<Estimate>,
    /// The rank of each explainer, 1 = best, equals the mean of theirs; `None` where undefined or where
    /// neither end is better.
    pub(crate) ranks: Vec<Option<f64>>,
    /// Every pair of explainers.
    pub(crate) comparisons: Vec<Comparison>,
}

/// Two explainers by one metric: a paired signed-rank test over samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Comparison {
    /// The explainer of the better value.
    pub(crate) first: String,
    /// The other one.
    pub(crate) second: String,
    /// The mean difference over samples that both have a value of.
    pub(crate) difference: Option<f64>,
    /// Of the Wilcoxon signed-rank test.
    pub(crate) p_value: Option<f64>,
    /// After Holm's correction for all pairs of the metric.
    pub(crate) p_corrected: Option<f64>,
    /// Whether the corrected p-value is below 0.05.
    pub(crate) significant: bool,
    /// Which of the two the signed ranks speak for.
    pub(crate) favours: Option<String>,
}

/// The curves of all explainers by one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CurvesOfMetric {
    /// The metric.
    pub(crate) metric: String,
    /// What people call it.
    pub(crate) title: String,
    /// Which end of its scale is the good one.
    #[schemars(with = "String", extend("enum" = ["higher", "lower", "none"]))]
    pub(crate) better: Direction,
    /// One per explainer that has one.
    pub(crate) curves: Vec<Curve>,
}

/// Mean scores of the model while positions are removed or restored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Curve {
    /// The explainer.
    pub(crate) explainer: String,
    /// Positions that are changed, and the mean score over the samples.
    pub(crate) points: Vec<CurvePoint>,
}

/// One step of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CurvePoint {
    /// How many positions are changed.
    pub(crate) n_flipped: usize,
    /// The mean score over the samples.
    pub(crate) score: f64,
}

/// Whether two metrics rank the explainers alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RankAgreement {
    /// The one metric.
    pub(crate) first: String,
    /// The other one.
    pub(crate) second: String,
    /// Kendall's tau-b of the ranks, in [-1, 1]: 1 = the same order, -1 = the opposite one; `None` where
    /// one of them has all explainers at one rank.
    pub(crate) tau: Option<f64>,
}

/// Maps of some samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Gallery {
    /// The metric that the samples were chosen by.
    pub(crate) metric: String,
    /// Samples per explainer at each end.
    pub(crate) n_each: usize,
    /// The samples, by explainer, best first.
    pub(crate) items: Vec<GalleryItem>,
}

/// The map of one sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct GalleryItem {
    /// The sample, from 0.
    pub(crate) sample: usize,
    /// The explainer.
    pub(crate) explainer: String,
    /// Whether it is one of the best samples, or one of the worst.
    pub(crate) is_best: bool,
    /// Its value by the metric of the gallery.
    pub(crate) value: f64,
    /// The target class, where targets are classes.
    pub(crate) target: Option<i64>,
    /// The model's score of the whole input.
    pub(crate) score: f64,
    /// The model's score of what the map keeps.
    pub(crate) score_masked: f64,
    /// The pixels, for the page alone.
    #[serde(skip)]
    pub(crate) pixels: GalleryPixels,
}

/// The pictures of one sample: rows of pixels, `height * width` each.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct GalleryPixels {
    pub(crate) height: usize,
    pub(crate) width: usize,
    /// The input, in [0, 1]: one value a pixel, or three (red, green, blue).
    pub(crate) input: Vec<f32>,
    /// Whether the input has three values a pixel.
    pub(crate) is_colored: bool,
    /// The map, the mean over channels, in its own units.
    pub(crate) map: Vec<f32>,
    /// The input times the map scaled to [0, 1], scaled as the input is.
    pub(crate) masked: Vec<f32>,
}
