//! Options that several commands take.

use clap::Args;
use xai_metrics::repro::{EmptyUnion, PairMetric};

use crate::choice::{Choices, choice};

/// What every command on runs of classes takes.
#[derive(Debug, Args)]
pub(super) struct Labels {
    /// True labels (samples,); or, where the runs are columns of a .csv, the column that holds them.
    #[arg(long, value_name = "Y.npy|COLUMN")]
    pub(super) labels: String,
}

/// What every command on pairs of runs takes.
#[derive(Debug, Args)]
pub(super) struct PairMetrics {
    #[arg(
        long,
        value_name = "METRICS",
        value_delimiter = ',',
        default_value = "all",
        value_parser = metric,
        help = format!("`all`, or some of {}", PairMetric::ALL.map(PairMetric::name).join(", "))
    )]
    metrics: Vec<Option<PairMetric>>,
    /// Local error consistency of two runs without errors.
    #[arg(long, value_parser = choice(EMPTY_UNION), default_value = "undefined")]
    pub(super) empty_union: EmptyUnion,
}

const EMPTY_UNION: &Choices<EmptyUnion> = &[
    ("undefined", EmptyUnion::Undefined, "Undefined, and counted"),
    ("0", EmptyUnion::Zero, ""),
    ("1", EmptyUnion::One, ""),
    ("drop", EmptyUnion::Drop, "Leave the pair out"),
    ("error", EmptyUnion::Error, "Stop at such a pair"),
];

/// A metric by name; `None` for `all`.
fn metric(name: &str) -> Result<Option<PairMetric>, xai_metrics::Error> {
    match name {
        "all" => Ok(None),
        name => name.parse().map(Some),
    }
}

impl PairMetrics {
    /// The metrics that were named, each once, in the order of their first mention.
    pub(super) fn chosen(&self) -> Vec<PairMetric> {
        if self.metrics.contains(&None) {
            return PairMetric::ALL.to_vec();
        }
        let mut metrics = Vec::new();
        for &metric in self.metrics.iter().flatten() {
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
        metrics
    }
}
