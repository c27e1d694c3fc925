//! The functions and classes of `xai_metrics.repro`.

mod accumulator;
mod across_runs;
mod comparison;
mod intervals;
mod packed;
mod pairwise;
mod regression;
mod simulate;
mod study;

use pyo3::prelude::*;
use xai_repro::simulate::{ClassSimulator, RunErrors};
use xai_repro::study::StudySettings;
use xai_repro::{GroupComparison, Pairwise, RunInterval};

use crate::described::{Operation, params_of};

/// Functions of Python whose parameters the library describes.
pub(crate) const OPERATIONS: &[Operation] = &[
    ("repro.pairwise", params_of::<Pairwise>),
    ("repro.interval", params_of::<RunInterval>),
    ("repro.compare_groups", params_of::<GroupComparison>),
    ("repro.class_distribution", params_of::<ClassSimulator>),
    ("repro.simulate_predictions", params_of::<RunErrors>),
    ("repro.study", params_of::<StudySettings>),
];

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<packed::PackedRuns>()?;
    module.add_class::<pairwise::ErrorSets>()?;
    module.add_class::<accumulator::PairwiseState>()?;
    module.add_class::<study::Study>()?;
    module.add_function(wrap_pyfunction!(pairwise::repro_pairwise, module)?)?;
    module.add_function(wrap_pyfunction!(pairwise::repro_summaries, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::repro_pair_summary, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::repro_pair_interval, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::repro_metrics, module)?)?;
    module.add_function(wrap_pyfunction!(intervals::repro_wilson, module)?)?;
    module.add_function(wrap_pyfunction!(across_runs::repro_agreement, module)?)?;
    module.add_function(wrap_pyfunction!(
        across_runs::repro_agreement_interval,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(across_runs::repro_gwet_ac2, module)?)?;
    module.add_function(wrap_pyfunction!(
        across_runs::repro_sample_consistency,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(across_runs::repro_votes, module)?)?;
    module.add_function(wrap_pyfunction!(comparison::repro_compare, module)?)?;
    module.add_function(wrap_pyfunction!(regression::repro_regression, module)?)?;
    module.add_function(wrap_pyfunction!(
        simulate::repro_class_distribution,
        module
    )?)?;
    module.add_function(wrap_pyfunction!(simulate::repro_labels, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::repro_predictions, module)?)?;
    module.add_function(wrap_pyfunction!(study::repro_study_metrics, module)?)?;
    module.add_function(wrap_pyfunction!(study::repro_mean_metrics, module)?)
}
