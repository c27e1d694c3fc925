//! The section of repeated runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_metrics::core::Direction;

use super::estimate::Estimate;
use super::histogram::Histogram;
use super::origin::Origin;

/// Do repeated trainings make the same predictions, and the same errors?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Repro {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// Runs.
    pub(crate) n_runs: usize,
    /// Samples.
    pub(crate) n_samples: usize,
    /// Each metric over the pairs of runs.
    pub(crate) metrics: Vec<PairMetricSummary>,
    /// The accuracy of each run, with Wilson's interval over samples.
    pub(crate) accuracy: Vec<Estimate>,
    /// Samples that every run gets wrong.
    pub(crate) always_wrong: u64,
    /// Samples that at least one run gets wrong.
    pub(crate) ever_wrong: u64,
    /// Agreement of all runs beyond chance.
    pub(crate) fleiss_kappa: Option<f64>,
    /// The same with Krippendorff's correction for few runs.
    pub(crate) krippendorff_alpha: Option<f64>,
    /// The same with Gwet's chance.
    pub(crate) gwet_ac1: Option<f64>,
    /// How similar every two runs are.
    pub(crate) similarity: Similarity,
    /// On how many samples the runs disagree.
    pub(crate) ever_changing: usize,
    /// The samples on which they disagree most, most first.
    pub(crate) most_inconsistent: Vec<Inconsistent>,
}

/// One metric over all pairs of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PairMetricSummary {
    /// Its name in JSON: `ec_local`.
    pub(crate) metric: String,
    /// What people call it.
    pub(crate) title: String,
    /// What it asks.
    pub(crate) question: String,
    /// Which end of its scale is the good one.
    #[schemars(with = "String", extend("enum" = ["higher", "lower", "none"]))]
    pub(crate) better: Direction,
    /// The values it can have.
    pub(crate) range: String,
    /// The mean over the pairs, with a jackknife interval over runs.
    pub(crate) mean: Estimate,
    /// The standard deviation over the pairs.
    pub(crate) std: Option<f64>,
    /// The smallest value.
    pub(crate) min: Option<f64>,
    /// The median.
    pub(crate) median: Option<f64>,
    /// The largest value.
    pub(crate) max: Option<f64>,
    /// The values of the pairs in twenty bins from the smallest to the largest; `None` where none is defined.
    pub(crate) histogram: Option<Histogram>,
}

/// A metric of every two runs, runs that are alike beside each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Similarity {
    /// The metric.
    pub(crate) metric: String,
    /// What people call it.
    pub(crate) title: String,
    /// The runs, from 0, in the order of the picture: leaves of an average-linkage clustering.
    pub(crate) order: Vec<usize>,
    /// The values of the pairs (0, 1), (0, 2), …, (1, 2), … by the runs' own numbers; `None` where undefined.
    pub(crate) pairs: Vec<Option<f64>>,
}

/// A sample on which runs disagree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Inconsistent {
    /// The sample, from 0.
    pub(crate) sample: usize,
    /// Its true class.
    pub(crate) label: String,
    /// The entropy of its predictions in nats.
    pub(crate) entropy: f64,
    /// The share of runs that predict its most frequent class.
    pub(crate) modal_share: f64,
    /// How many runs predict each class, most first.
    pub(crate) votes: Vec<Votes>,
}

/// How many runs predict a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Votes {
    /// The class.
    pub(crate) class: String,
    /// How many runs.
    pub(crate) n: usize,
}
