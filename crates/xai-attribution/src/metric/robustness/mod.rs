//! Does the map stay where the input hardly changes?

use crate::metric::Entry;

pub(crate) mod attribution_stability;
pub(crate) mod continuity;
pub(crate) mod local_lipschitz;
pub(crate) mod relative_stability;
pub(crate) mod stability;

pub use {
    attribution_stability::*, continuity::*, local_lipschitz::*, relative_stability::*,
    stability::*,
};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::of::<AverageStability>(),
    Entry::of::<MaximumStability>(),
    Entry::of::<LocalLipschitz>(),
    Entry::of::<Continuity>(),
    Entry::of::<RelativeInputStability>(),
    Entry::of::<RelativeOutputStability>(),
    Entry::of::<RelativeRepresentationStability>(),
    Entry::of::<AttributionStability>(),
];
