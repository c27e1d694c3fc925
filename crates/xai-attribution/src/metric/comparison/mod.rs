//! Comparison of maps with reference maps, or with the maps of other samples.

use crate::metric::Entry;

pub(crate) mod consistency;
mod pair_distances;
pub(crate) mod rank_agreement;
pub(crate) mod sufficiency;
pub(crate) mod top_agreement;

pub use {consistency::*, rank_agreement::*, sufficiency::*, top_agreement::*};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::new::<Sufficiency>(),
    Entry::new::<Consistency>(),
    Entry::new::<FeatureAgreement>(),
    Entry::new::<RankAgreement>(),
    Entry::new::<SignAgreement>(),
    Entry::new::<SignedRankAgreement>(),
    Entry::new::<RankCorrelation>(),
    Entry::new::<PairwiseRankAgreement>(),
];
