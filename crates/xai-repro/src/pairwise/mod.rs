//! Reports of all pairs of runs, and results of samples in blocks.
//!
//! [`Pairwise`](crate::Pairwise) selects metrics and evaluates them for runs in memory.
//! [`PairwiseAccumulator`](crate::PairwiseAccumulator) evaluates them for samples in blocks, with the same bits.

pub(crate) mod accumulator;
mod counts_by_pair;
pub(crate) mod evaluate;
pub(crate) mod options;
mod packed_tables;
mod report;
pub(crate) mod reproducibility;
#[cfg(feature = "serde")]
mod stored_state;

pub use crate::counting::pair_tiles::pairs;
pub use report::PairwiseReport;
pub use reproducibility::StreamedReproducibility;
