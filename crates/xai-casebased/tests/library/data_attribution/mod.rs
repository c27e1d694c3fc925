//! Metrics of training-data attribution.

mod errors;
mod examples;
#[cfg(feature = "serde")]
mod golden;
mod laws;
mod reading;
mod retrieved;
