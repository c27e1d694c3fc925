//! Sanity checks: do maps depend on the model, its parameters and the explained class?

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
    Entry::new::<RandomLogit>(),
    Entry::with_own_function(ModelRandomization::INFO),
    Entry::new::<EfficientRandomization>(),
    Entry::with_own_function(Representativity::INFO),
];
