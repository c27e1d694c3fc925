//! Every metric of this crate, and the operations with parameters.
//!
//! A metric stands beside the list that names it: in `pair_metric/formulas/` for a pair of runs, in
//! `across_runs/agreement.rs` for all runs at once, in `regression/formulas.rs` for a pair of runs that predict numbers.
//!
#![doc = include_str!("../METRICS.md")]

use xai_core::describe::{MetricInfo, Operation, Scores};

use crate::across_runs::agreement::Agreement;
use crate::comparison::GroupComparison;
use crate::interval::RunInterval;
use crate::pair_metric::definition::{PairFormula, PairMetric};
use crate::pairwise::Pairwise;
use crate::simulate::{ClassSimulator, RunErrors};
use crate::study::StudySettings;

pub use crate::pair_metric::formulas::METRICS as PAIR_METRICS;
pub use crate::regression::formulas::METRICS as REGRESSION_METRICS;

/// The pair metrics of errors alone: one bit per sample and run is all they need.
#[must_use]
pub fn error_metrics() -> Vec<PairMetric> {
    let of_errors =
        |metric: &PairMetric| matches!(metric.definition().formula, PairFormula::Errors(_));
    PAIR_METRICS.iter().copied().filter(of_errors).collect()
}

/// What every metric says of itself: those of pairs, those of all runs at once, those of pairs that
/// predict numbers.
pub fn metrics() -> impl Iterator<Item = &'static MetricInfo> {
    let of_pairs = PAIR_METRICS.iter().map(|metric| metric.info());
    let of_all_runs = Agreement::infos();
    let of_numbers = REGRESSION_METRICS.iter().map(|metric| metric.info());
    of_pairs.chain(of_all_runs).chain(of_numbers)
}

/// The operations with parameters, by the names under which the command line and Python find them.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<Pairwise>("repro.pairwise"),
    Operation::of::<RunInterval>("repro.interval"),
    Operation::of::<GroupComparison>("repro.compare_groups"),
    Operation::of::<ClassSimulator>("repro.class_distribution"),
    Operation::of::<RunErrors>("repro.simulate_predictions"),
    Operation::of::<StudySettings>("repro.study"),
];
