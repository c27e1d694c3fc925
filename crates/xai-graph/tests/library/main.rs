//! The tests of the crate as a library, as one program: linking takes longer than most of them.

mod curves;
mod errors;
mod golden;
mod laws;
mod messages;
mod model;
mod parameters;
#[cfg(feature = "serde")]
mod storage;
