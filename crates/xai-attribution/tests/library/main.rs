//! The tests of the crate as a library, as one program: linking takes longer than most of them.

mod adapters;
mod assumed;
mod batches;
mod contributing;
mod errors;
mod evaluation;
mod extension;
mod golden;
mod laws;
mod masked;
mod messages;
mod registry;
mod reliability;
mod similarity;
#[cfg(feature = "serde")]
mod storage;
mod streaming;
