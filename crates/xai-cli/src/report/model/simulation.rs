//! The section of the simulation study.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::origin::Origin;

/// How do the reproducibility metrics behave where the truth is known?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Simulation {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// Simulated studies.
    pub(crate) n_draws: u64,
    /// Each metric.
    pub(crate) metrics: Vec<SimulatedMetric>,
}

/// How one metric behaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SimulatedMetric {
    /// Its name.
    pub(crate) metric: String,
    /// What people call it.
    pub(crate) title: String,
    /// The mean over the draws.
    pub(crate) mean: Option<f64>,
    /// The standard deviation over the draws.
    pub(crate) std: Option<f64>,
    /// Its rank correlation with accuracy.
    pub(crate) spearman_with_accuracy: Option<f64>,
    /// Its rank correlation with the number of classes.
    pub(crate) spearman_with_n_classes: Option<f64>,
    /// The share of its variance that goes with the law of the labels.
    pub(crate) variance_by_label_distribution: Option<f64>,
    /// The share of its variance that goes with the law of the errors.
    pub(crate) variance_by_error_distribution: Option<f64>,
    /// How well it tells dependent errors from independent ones: 0.5 = not at all.
    pub(crate) auroc_of_dependence: Option<f64>,
    /// Over draws with independent errors, by ascending accuracy.
    pub(crate) independent: Vec<ProfilePoint>,
    /// Over draws with dependent errors, by ascending accuracy.
    pub(crate) dependent: Vec<ProfilePoint>,
}

/// Draws of similar accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ProfilePoint {
    /// Their mean accuracy.
    pub(crate) accuracy: f64,
    /// Their mean of the metric.
    pub(crate) mean: f64,
    /// The tenth part of them is below it.
    pub(crate) low: f64,
    /// The tenth part of them is above it.
    pub(crate) high: f64,
    /// How many define the metric.
    pub(crate) n_defined: usize,
}
