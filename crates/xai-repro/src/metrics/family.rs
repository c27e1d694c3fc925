//! Registration of the metrics, and of the operations with parameters.

use xai_core::describe::{Family, MetricEntry, Operation, Scores};

use crate::across_runs::agreement::Agreement;
use crate::comparison::group_comparison::GroupComparison;
use crate::interval::run_interval::RunInterval;
use crate::metrics::{PAIR_METRICS, REGRESSION_METRICS};
use crate::pairwise::options::Pairwise;
use crate::simulate::{ClassSimulator, RunErrors};
use crate::study::StudySettings;

/// The metrics of repeated trainings: those of pairs of runs, of all runs at once, and of pairs that predict numbers.
/// The operations have the names under which the command line and Python offer them.
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
