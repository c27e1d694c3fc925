//! The tests of the crate as a library, as one program: linking takes longer than most of them.

mod errors;
mod golden;
mod laws;
mod messages;
mod more_metrics;
mod parameters;
mod report;
mod simulators;
mod streaming;
mod study;
