//! Metrics of complexity: over how many positions is the attribution spread?

use crate::metric::Entry;

#[expect(clippy::module_inception, reason = "a file has the name of its metric")]
pub(crate) mod complexity;
pub(crate) mod effective_complexity;
pub(crate) mod mst_compactness;
pub(crate) mod nonzero_features;
pub(crate) mod sparseness;

pub use {
    complexity::*, effective_complexity::*, mst_compactness::*, nonzero_features::*, sparseness::*,
};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::new::<Complexity>(),
    Entry::new::<Sparseness>(),
    Entry::new::<EffectiveComplexity>(),
    Entry::new::<NonzeroFeatures>(),
    Entry::new::<MstCompactness>(),
];
