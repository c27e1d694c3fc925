//! Metrics of score curves: features are removed or restored step by step, in the order of the map.

use crate::metric::Entry;

pub(crate) mod comprehensiveness;
pub(crate) mod deletion;
pub(crate) mod f_fidelity;
pub(crate) mod irof;
pub(crate) mod monotonicity;
pub(crate) mod naopc;
pub(crate) mod random_order_reference;
pub(crate) mod rationale_sufficiency;
pub(crate) mod region_perturbation;
pub(crate) mod relevance_gain;
pub(crate) mod road;

pub use {
    comprehensiveness::*, deletion::*, f_fidelity::*, irof::*, monotonicity::*, naopc::*,
    random_order_reference::*, rationale_sufficiency::*, region_perturbation::*, relevance_gain::*,
    road::*,
};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::new::<Deletion>(),
    Entry::new::<Insertion>(),
    Entry::new::<SymmetricRelevanceGain>(),
    Entry::new::<RegionPerturbation>(),
    Entry::new::<Comprehensiveness>(),
    Entry::new::<RationaleSufficiency>(),
    Entry::new::<Naopc>(),
    Entry::new::<RandomOrderReference>(),
    Entry::new::<Monotonicity>(),
    Entry::new::<Irof>(),
    Entry::new::<FFidelity>(),
    Entry::new::<FFidelityPositive>(),
    Entry::new::<FFidelityNegative>(),
    Entry::new::<Road>(),
    Entry::new::<RoadMostRelevantFirst>(),
    Entry::new::<RoadLeastRelevantFirst>(),
];
