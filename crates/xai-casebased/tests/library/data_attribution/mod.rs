//! Metrics of training-data attribution.

mod errors;
mod examples;
mod golden;
mod laws;
mod reading;
mod retrieved;
