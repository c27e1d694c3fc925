//! The numbers that arrays hold: real values and class labels.

pub mod elementary;
mod label;
mod radix_sort;
mod real;

pub(crate) use label::all_finite;
pub use label::{
    Label, check_domain, check_finite, check_finite_slice, check_labels, class_index, labels_to_i64,
};
pub use radix_sort::{sort_keys, sort_places};
pub use real::{OrderKey, Real};
