//! The numbers that arrays hold: real values and class labels.

pub mod elementary;
mod finite;
mod label;
mod order_key;
mod radix_sort;
mod real;

pub use finite::{check_finite, check_finite_slice};
pub use label::{Label, class_index, labels_to_i64};
pub use order_key::OrderKey;
pub use radix_sort::{sort_keys, sort_places};
pub use real::Real;
