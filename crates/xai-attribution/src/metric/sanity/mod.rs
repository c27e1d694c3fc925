//! Does the map depend on the model?

use crate::metric::Entry;
use xai_core::describe::Described;

pub(crate) mod efficient_randomization;
pub(crate) mod model_randomization;
pub(crate) mod random_logit;
pub(crate) mod representativity;

pub use {
    efficient_randomization::*, model_randomization::*, random_logit::*, representativity::*,
};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::of::<RandomLogit>(),
    Entry::alone(ModelRandomization::INFO),
    Entry::of::<EfficientRandomization>(),
    Entry::alone(Representativity::INFO),
];
