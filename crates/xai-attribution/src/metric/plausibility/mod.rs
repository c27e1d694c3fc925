//! Metrics of plausibility: do maps agree with rationales that people marked?

use crate::metric::Entry;
use xai_core::describe::Described;

pub(crate) mod rationale_auprc;
mod span_matching;
pub(crate) mod spans;
pub(crate) mod token_overlap;

pub use {rationale_auprc::*, spans::*, token_overlap::*};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::new::<RationaleAuprc>(),
    Entry::new::<TokenF1>(),
    Entry::new::<TokenIou>(),
    Entry::with_own_function(RationaleIouF1::INFO),
    Entry::with_own_function(RationaleTokenF1::INFO),
];
