//! Every metric on every pair of runs.
//!
//! [`Pairwise`] says which metrics are taken, and takes them of runs in memory;
//! [`PairwiseAccumulator`] takes the same of samples in blocks, to the last bit.

pub(crate) mod accumulator;
pub(crate) mod empty_union;
mod evaluate;
pub(crate) mod evaluation;
pub(crate) mod options;
mod pair_table;
mod report;
mod reproducibility;
#[cfg(feature = "serde")]
mod stored_state;
mod streamed;
mod summaries;

pub use crate::counting::pairs::pairs;
pub use accumulator::PairwiseAccumulator;
pub use empty_union::EmptyUnion;
pub use options::Pairwise;
pub use report::PairwiseReport;
pub use reproducibility::PairwiseReproducibility;
pub use streamed::StreamedReproducibility;
pub use summaries::PairwiseSummaries;
