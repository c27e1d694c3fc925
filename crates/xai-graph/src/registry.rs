//! The scores of this crate, in the order in which they are shown.
//!
#![doc = include_str!("../METRICS.md")]

use xai_core::MetricInfo;
use xai_core::describe::{Operation, Scores};

use crate::dataset::SweepCurve;
use crate::fidelity::{Characterization, Fidelity, RobustFidelity, RobustFidelityMetric};
use crate::ground_truth::{GroundTruth, GroundTruthMetric};
use crate::mask::{MaskMetric, MaskProperties};
use crate::unfaithfulness::{Unfaithfulness, UnfaithfulnessMetric};

/// What every score says of itself.
///
/// ```
/// let names: Vec<&str> = xai_graph::registry::metrics().map(|info| info.name).collect();
/// assert_eq!(names[..3], ["pos_fidelity", "neg_fidelity", "characterization"]);
/// ```
pub fn metrics() -> impl Iterator<Item = &'static MetricInfo> {
    Fidelity::infos()
        .chain(RobustFidelity::infos())
        .chain(SweepCurve::infos())
        .chain(Unfaithfulness::infos())
        .chain(GroundTruth::infos())
        .chain(MaskProperties::infos())
}

/// What front ends offer with parameters.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<Characterization>("graph.characterization"),
    Operation::of::<RobustFidelityMetric<'static>>("graph.robust_fidelity"),
    Operation::of::<UnfaithfulnessMetric<'static>>("graph.unfaithfulness"),
    Operation::of::<GroundTruthMetric>("graph.ground_truth"),
    Operation::of::<MaskMetric>("graph.mask_properties"),
];

/// The table of the scores as Markdown.
#[must_use]
pub fn markdown() -> String {
    xai_core::describe::markdown(metrics())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_table_of_the_documentation_is_that_of_the_registry() {
        assert_eq!(include_str!("../METRICS.md"), markdown());
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = metrics().map(|info| info.name).collect();
        assert_eq!(names.len(), metrics().count());
    }
}
