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

pub(crate) use packed::PackedRuns;
pub(crate) use pairwise::options;
pub(crate) use study::Study;

use pyo3::prelude::*;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<packed::PackedRuns>()?;
    module.add_class::<pairwise::ErrorSets>()?;
    module.add_class::<accumulator::PairwiseState>()?;
    module.add_class::<study::Study>()?;
    add_functions!(
        module,
        pairwise::repro_pairwise,
        pairwise::repro_summaries,
        intervals::repro_pair_summary,
        intervals::repro_pair_interval,
        intervals::repro_wilson,
        across_runs::repro_agreement,
        across_runs::repro_agreement_interval,
        across_runs::repro_gwet_ac2,
        across_runs::repro_sample_consistency,
        across_runs::repro_votes,
        comparison::repro_compare,
        comparison::repro_compare_regression,
        regression::repro_regression,
        simulate::repro_class_distribution,
        simulate::repro_labels,
        simulate::repro_predictions,
        study::repro_study_metrics,
        study::repro_mean_metrics,
    )
}
