//! Metrics of the model's outputs after the top features, or all others, are removed.

use crate::metric::Entry;

pub(crate) mod masked_accuracy;
pub(crate) mod output_error;
pub(crate) mod target_probability;

pub use {masked_accuracy::*, output_error::*, target_probability::*};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::new::<LogOdds>(),
    Entry::new::<CrossEntropy>(),
    Entry::new::<MaskedAccuracy>(),
    Entry::new::<OutputMae>(),
    Entry::new::<OutputMse>(),
];
