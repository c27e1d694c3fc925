//! Evaluation of every metric for all pairs of runs.
//!
//! [`Pairwise`] selects metrics and evaluates them for runs in memory. [`PairwiseAccumulator`] evaluates them for
//! samples in blocks, with the same bits.

pub(crate) mod accumulator;
pub(crate) mod evaluate;
pub(crate) mod options;
mod report;
mod reproducibility;
#[cfg(feature = "serde")]
mod stored_state;

pub use crate::counting::pair_tiles::pairs;
pub use accumulator::PairwiseAccumulator;
pub use options::{EmptyUnion, Pairwise};
pub use report::PairwiseReport;
pub use reproducibility::{PairwiseReproducibility, PairwiseSummaries, StreamedReproducibility};
