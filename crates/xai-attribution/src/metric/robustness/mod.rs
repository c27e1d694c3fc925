//! Metrics of robustness: how much do maps change under small changes of the input?

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
    Entry::new::<AverageStability>(),
    Entry::new::<MaximumStability>(),
    Entry::new::<LocalLipschitz>(),
    Entry::new::<Continuity>(),
    Entry::new::<RelativeInputStability>(),
    Entry::new::<RelativeOutputStability>(),
    Entry::new::<RelativeRepresentationStability>(),
    Entry::new::<AttributionStability>(),
];
