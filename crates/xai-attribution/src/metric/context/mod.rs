//! Metrics of context attribution: which sources of a context does the answer depend on?

use crate::metric::Entry;
use xai_core::describe::Described;

pub(crate) mod context_lds;
pub(crate) mod sequence_score;

pub use {context_lds::*, sequence_score::*};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[Entry::with_own_function(ContextLds::INFO)];
