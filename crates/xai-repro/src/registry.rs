//! The metrics of this crate, and the operations with parameters.
//!
//! Metrics of a pair of runs are defined and listed in `pair_metric/formulas/`, those of all runs at once in
//! `across_runs/agreement.rs`, and those of a pair of runs that predict numbers in `regression/formulas.rs`.
//!
#![doc = include_str!("../METRICS.md")]

use xai_core::describe::{Family, MetricEntry, Operation, Scores};

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

/// The metrics of repeated trainings: those of pairs of runs, of all runs at once, and of pairs that predict numbers. The
/// operations have the names under which the command line and Python offer them.
pub const FAMILY: Family = Family {
    name: "repro",
    package: env!("CARGO_PKG_NAME"),
    title: "Repeated trainings",
    summary: "Do repeated trainings make the same predictions, and the same errors?",
    metrics: || {
        let entry = |info, kind| MetricEntry::new(info, ()).kind(kind);
        let pair_metrics = PAIR_METRICS
            .iter()
            .map(|metric| entry(metric.info(), "pair"));
        let agreement = Agreement::infos().map(|info| entry(info, "all runs"));
        let regression = REGRESSION_METRICS
            .iter()
            .map(|metric| entry(metric.info(), "regression"));
        pair_metrics.chain(agreement).chain(regression).collect()
    },
    operations: &[
        Operation::new::<Pairwise>("repro.pairwise"),
        Operation::new::<RunInterval>("repro.interval"),
        Operation::new::<GroupComparison>("repro.compare_groups"),
        Operation::new::<ClassSimulator>("repro.class_distribution"),
        Operation::new::<RunErrors>("repro.simulate_predictions"),
        Operation::new::<StudySettings>("repro.study"),
    ],
    inputs: &[],
};
