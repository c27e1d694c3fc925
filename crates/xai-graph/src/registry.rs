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
