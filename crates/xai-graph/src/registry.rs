//! The metrics of this crate, one line each, in the order in which they are shown.
//!
#![doc = include_str!("../METRICS.md")]

pub use crate::metric::{AnyGraphMetric, GraphMetric};
use crate::{dataset, fidelity, ground_truth, mask, unfaithfulness};

/// Every metric.
pub static METRICS: &[&dyn AnyGraphMetric] = &[
    &fidelity::scores::POS_FIDELITY,
    &fidelity::scores::NEG_FIDELITY,
    &fidelity::scores::CHARACTERIZATION,
    &fidelity::robust::ROBUST_POS_FIDELITY,
    &fidelity::robust::ROBUST_NEG_FIDELITY,
    &fidelity::robust::ROBUST_FIDELITY_DELTA,
    &dataset::sweep_curve::FIDELITY_AUC,
    &unfaithfulness::scores::UNFAITHFULNESS,
    &ground_truth::scores::ACCURACY,
    &ground_truth::scores::RECALL,
    &ground_truth::scores::PRECISION,
    &ground_truth::scores::F1_SCORE,
    &ground_truth::scores::AUROC,
    &ground_truth::scores::AVERAGE_PRECISION,
    &ground_truth::scores::JACCARD,
    &mask::properties::SIZE,
    &mask::properties::SPARSITY,
    &mask::properties::ENTROPY,
    &mask::properties::COMPONENT_SHARE,
];

/// The metrics that are read from a result, in the order of [`METRICS`].
///
/// ```
/// use xai_graph::{Fidelity, registry};
/// let names: Vec<&str> = registry::metrics_of::<Fidelity>().map(|m| m.info.name).collect();
/// assert_eq!(names, ["pos_fidelity", "neg_fidelity", "characterization"]);
/// ```
pub fn metrics_of<R: 'static>() -> impl Iterator<Item = &'static GraphMetric<R>> {
    METRICS
        .iter()
        .filter_map(|metric| metric.as_any().downcast_ref())
}

/// The table of the metrics as Markdown.
#[must_use]
pub fn markdown() -> String {
    xai_core::registry::markdown(METRICS.iter().map(|metric| metric.info()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_of_the_documentation_is_that_of_the_registry() {
        assert_eq!(include_str!("../METRICS.md"), markdown());
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = METRICS.iter().map(|metric| metric.info().name).collect();
        assert_eq!(names.len(), METRICS.len());
    }
}
