//! Metrics of metrics: values that other programs computed, laws, and errors.

mod errors;
#[cfg(feature = "serde")]
mod golden;
mod laws;
