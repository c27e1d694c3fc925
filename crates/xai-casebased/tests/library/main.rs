//! The tests of the crate as a library, as one program: linking takes longer than most of them.

#[cfg(feature = "approximate")]
mod approximate;
mod audits;
mod case_arrays;
mod data_attribution;
mod errors;
mod golden;
mod laws;
mod messages;
mod parameters;
#[cfg(feature = "persistence")]
mod persistence;
mod privacy;
mod similarities;
