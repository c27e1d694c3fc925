//! `xai repro`

use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, _context: &Context) -> Result<(), Failure> {
    match *command {}
}

// NOTE to the owner of this file: the report (src/report) uses the two types below and a function
// `pub(crate) fn pairwise(predictions: ArrayView2<i64>, labels: ArrayView1<i64>, …) -> Result<PairwiseResult, Failure>`
// that `xai repro pairwise` also calls. Keep names and field types (more fields are fine), in cli.md's order of metrics.

/// The JSON of `xai repro pairwise`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PairwiseResult {
    pub(crate) n_runs: usize,
    pub(crate) n_samples: usize,
    /// In the order asked for; serialised as an object.
    #[serde(serialize_with = "as_object")]
    pub(crate) metrics: Vec<(String, MetricResult)>,
    pub(crate) accuracy: Vec<f64>,
    pub(crate) always_wrong: usize,
    pub(crate) ever_wrong: usize,
    pub(crate) loo_ec: Vec<Option<f64>>,
    pub(crate) fleiss_kappa: Option<f64>,
    pub(crate) krippendorff_alpha: Option<f64>,
    pub(crate) gwet_ac1: Option<f64>,
}

/// One metric over all pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MetricResult {
    pub(crate) mean: Option<f64>,
    pub(crate) std: Option<f64>,
    pub(crate) min: Option<f64>,
    pub(crate) median: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) n_defined: usize,
    /// 95 %, by a jackknife over runs.
    pub(crate) interval: Option<[f64; 2]>,
    pub(crate) pairs: Vec<Option<f64>>,
}

fn as_object<S: serde::Serializer>(
    metrics: &[(String, MetricResult)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(metrics.iter().map(|(name, metric)| (name, metric)))
}
