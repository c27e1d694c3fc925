//! Registration of the metrics, in the order in which they are shown.

use xai_core::describe::{Family, MetricEntry, Operation, Scores};

use crate::dataset::SweepCurve;
use crate::edit_size::EDIT_SIZE;
use crate::fidelity::RobustFidelity;
use crate::fidelity::characterization::{Characterization, Fidelity};
use crate::fidelity::robust::RobustFidelityMetric;
use crate::ground_truth::metric::GroundTruthMetric;
use crate::ground_truth::scores::GroundTruth;
use crate::mask::{MaskMetric, MaskProperties};
use crate::unfaithfulness::metric::{Unfaithfulness, UnfaithfulnessMetric};

/// The metrics of graph explanations, and the operations that compute them.
///
/// ```
/// let names: Vec<&str> = xai_graph::FAMILY.infos().map(|info| info.name).collect();
/// assert_eq!(names[..3], ["pos_fidelity", "neg_fidelity", "characterization"]);
/// ```
pub const FAMILY: Family = Family {
    name: "graph",
    package: env!("CARGO_PKG_NAME"),
    title: "Graph explanations",
    summary: "Is an explanatory subgraph sufficient and necessary?",
    metrics: || {
        [
            Fidelity::entries(),
            RobustFidelity::entries(),
            SweepCurve::entries(),
            Unfaithfulness::entries(),
            GroundTruth::entries(),
            MaskProperties::entries(),
            vec![MetricEntry::new(EDIT_SIZE, ())],
        ]
        .concat()
    },
    operations: &[
        Operation::new::<Characterization>("graph.characterization"),
        Operation::new::<RobustFidelityMetric<'static>>("graph.robust_fidelity"),
        Operation::new::<UnfaithfulnessMetric<'static>>("graph.unfaithfulness"),
        Operation::new::<GroundTruthMetric>("graph.ground_truth"),
        Operation::new::<MaskMetric>("graph.mask_properties"),
    ],
    inputs: &[],
};
