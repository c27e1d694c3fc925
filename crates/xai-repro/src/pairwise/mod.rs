//! Every metric on every pair of runs.
//!
//! [`Pairwise`] says which metrics are taken, and takes them of runs in memory;
//! [`PairwiseAccumulator`] takes the same of samples in blocks, to the last bit.

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
