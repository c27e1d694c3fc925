//! The tests of the crate as a library, as one program: linking takes longer than most of them.

mod errors;
mod golden;
mod laws;
mod messages;
mod more_metrics;
mod packing;
mod parameters;
mod report;
mod simulators;
#[cfg(feature = "serde")]
mod stored;
mod streaming;
mod study;
