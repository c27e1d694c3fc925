//! The metrics of this crate, in the order in which they are shown.
//!
#![doc = include_str!("../../METRICS.md")]

pub(crate) mod metric;

pub use metric::{AnyGraphMetric, GraphMetric};

/// Lists metrics as `in path::of::module: NAMES;`, and as `mod name: NAMES;` for a file beside this
/// one, which it declares.
macro_rules! metrics {
    ($($place:ident $($module:ident)::+: $($NAME:ident),+;)+) => {
        $(import!($place $($module)::+: $($NAME),+);)+

        /// Every metric.
        pub static METRICS: &[&dyn AnyGraphMetric] = &[$($(&$NAME),+),+];
    };
}

macro_rules! import {
    (in $($module:ident)::+: $($NAME:ident),+) => {
        pub use crate::$($module)::+::{$($NAME),+};
    };
    (mod $module:ident: $($NAME:ident),+) => {
        pub mod $module;
        pub use $module::{$($NAME),+};
    };
}

metrics! {
    in fidelity::scores: POS_FIDELITY, NEG_FIDELITY, CHARACTERIZATION;
    in fidelity::robust: ROBUST_POS_FIDELITY, ROBUST_NEG_FIDELITY, ROBUST_FIDELITY_DELTA,
        ROBUST_POS_PROBABILITY, ROBUST_NEG_PROBABILITY, ROBUST_PROBABILITY_DELTA;
    in dataset::sweep_curve: FIDELITY_AUC;
    in unfaithfulness::scores: UNFAITHFULNESS;
    in ground_truth::scores: ACCURACY, RECALL, PRECISION, F1_SCORE, AUROC, AVERAGE_PRECISION, JACCARD;
    in mask::properties: SIZE, SPARSITY, ENTROPY, COMPONENT_SHARE, COMPONENT_RATIO, COMPONENTS_PER_NODE;
}

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
    xai_core::describe::markdown(METRICS.iter().map(|metric| metric.info()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_of_the_documentation_is_that_of_the_registry() {
        assert_eq!(include_str!("../../METRICS.md"), markdown());
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = METRICS.iter().map(|metric| metric.info().name).collect();
        assert_eq!(names.len(), METRICS.len());
    }
}
