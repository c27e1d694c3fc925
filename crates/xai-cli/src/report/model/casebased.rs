//! The section of a table of predictions and its training cases.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::estimate::Estimate;
use super::histogram::Histogram;
use super::origin::Origin;

/// Do predictions agree with their nearest training cases?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Casebased {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// Training cases.
    pub(crate) n_train: usize,
    /// Predictions.
    pub(crate) n_test: usize,
    /// Nearest cases that are asked.
    pub(crate) k: usize,
    /// The mean correspondence of all predictions, in [0, 1], higher is better.
    pub(crate) mean_correspondence: Estimate,
    /// Predictions that are right; `None` where no true class is known.
    pub(crate) right: Option<Group>,
    /// Predictions that are wrong.
    pub(crate) wrong: Option<Group>,
    /// The share of right predictions.
    pub(crate) accuracy: Option<Estimate>,
    /// The probability that a right prediction has a higher correspondence than a wrong one, ties half:
    /// 0.5 = correspondence does not tell them apart. `None` where one of the two groups is empty.
    pub(crate) auroc_of_right: Option<Estimate>,
    /// By predicted class.
    pub(crate) by_class: Vec<PredictedClass>,
    /// Numbers of predictions by the level of their correspondence.
    pub(crate) levels: Vec<Level>,
    /// Accuracy by correspondence, in ten bins; empty where no true class is known.
    pub(crate) reliability: Vec<ReliabilityBin>,
    /// The mean distance of accuracy from correspondence over these bins: 0 = calibrated.
    pub(crate) expected_calibration_error: Option<f64>,
    /// The predictions with the lowest correspondence, lowest first, with their precedents.
    pub(crate) least_supported: Vec<LeastSupported>,
    /// Features.
    pub(crate) columns_used: Vec<String>,
    /// Columns that were left out, each with the reason.
    pub(crate) columns_left_out: Vec<String>,
    /// What the classes are called, by their number, where they are called by words.
    pub(crate) class_names: BTreeMap<i64, String>,
}

/// Predictions that are right, or wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Group {
    /// How many.
    pub(crate) n: u64,
    /// Their mean correspondence.
    pub(crate) mean_correspondence: Estimate,
    /// Their correspondence in twenty bins of [0, 1].
    pub(crate) histogram: Histogram,
}

/// Predictions of one class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PredictedClass {
    /// The class.
    pub(crate) class: String,
    /// How many predictions.
    pub(crate) n: u64,
    /// Their mean correspondence.
    pub(crate) mean_correspondence: Option<f64>,
    /// The share of right ones.
    pub(crate) accuracy: Option<f64>,
}

/// How many predictions have a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Level {
    /// `high`, `medium`, `low` or `undefined`.
    pub(crate) level: String,
    /// How many.
    pub(crate) n: u64,
}

/// Predictions of similar correspondence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ReliabilityBin {
    /// Their least correspondence.
    pub(crate) from: f64,
    /// The end of the bin.
    pub(crate) to: f64,
    /// Their mean correspondence.
    pub(crate) mean_correspondence: Option<f64>,
    /// The share of right ones, with Wilson's interval.
    pub(crate) accuracy: Estimate,
}

/// A prediction with little support.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LeastSupported {
    /// Its row in the test file, from 0.
    pub(crate) sample: usize,
    /// The predicted class; `None` where the neighbours were asked to vote and all weigh 0.
    pub(crate) predicted: Option<String>,
    /// The true class, where it is known.
    #[serde(rename = "true")]
    pub(crate) truth: Option<String>,
    /// Its correspondence; `None` where undefined.
    pub(crate) correspondence: Option<f64>,
    /// The correspondence in words.
    pub(crate) level: String,
    /// Its nearest training cases, nearest first.
    pub(crate) neighbors: Vec<Precedent>,
    /// Its features beside those of its nearest cases, in the data's own units; the largest difference, in
    /// units of the spread of the training rows, first. Without redacted features.
    pub(crate) features: Vec<FeatureComparison>,
}

/// A training case near a prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Precedent {
    /// Its row in the training file, from 0.
    pub(crate) index: usize,
    /// Its distance.
    pub(crate) distance: f64,
    /// Its class.
    pub(crate) label: String,
}

/// One feature of a prediction and of its nearest cases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FeatureComparison {
    /// The feature.
    pub(crate) feature: String,
    /// Its value.
    pub(crate) value: f64,
    /// The values of the nearest cases, nearest first.
    pub(crate) precedents: Vec<f64>,
    /// The value less the mean of the nearest cases, in standard deviations of the training rows; `None` for a
    /// feature that is the same in all of them.
    pub(crate) difference: Option<f64>,
    /// Whether that is more than one standard deviation.
    pub(crate) differs: bool,
}
