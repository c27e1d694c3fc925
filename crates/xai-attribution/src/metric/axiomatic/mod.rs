//! Axiomatic metrics: do maps satisfy the properties that attribution methods are meant to have?

use crate::metric::Entry;

pub(crate) mod completeness;
pub(crate) mod input_invariance;
pub(crate) mod non_sensitivity;

pub use {completeness::*, input_invariance::*, non_sensitivity::*};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::new::<Completeness>(),
    Entry::new::<NonSensitivity>(),
    Entry::new::<InputInvariance>(),
];
