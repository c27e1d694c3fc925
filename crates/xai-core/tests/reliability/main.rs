//! Meta-evaluation: golden values of other programs, laws and errors.

mod errors;
#[cfg(feature = "serde")]
mod golden;
mod laws;
