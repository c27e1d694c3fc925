//! The numbers that arrays hold: real values and class labels.

pub mod elementary;
mod finite;
mod label;
mod order_key;
mod real;

pub use finite::{check_finite, check_finite_slice};
pub use label::{Label, class_index, labels_to_i64};
pub use order_key::{OrderKey, sort_places};
pub use real::Real;
