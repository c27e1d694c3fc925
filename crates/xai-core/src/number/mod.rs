//! The numbers that arrays hold: real values and class labels.

pub mod elementary;
pub(crate) mod label;
mod radix_sort;
pub(crate) mod real;

pub(crate) use label::all_finite;
pub use label::{
    check_domain, check_finite, check_finite_slice, check_labels, class_index, labels_to_i64,
};
pub use radix_sort::{sort_indexed, sort_keys};
pub use real::OrderKey;
pub(crate) use real::Real;

/// Largest power of two not above a positive number, and at least `f64::MIN_POSITIVE`.
///
/// It serves as a unit for numbers of that size: divided by it, which is exact, they neither overflow
/// nor underflow when they are squared.
///
/// ```
/// use xai_core::number::power_of_two;
/// assert_eq!(power_of_two(6.5), 4.0);
/// assert_eq!(power_of_two(0.0), f64::MIN_POSITIVE);
/// ```
#[must_use]
pub const fn power_of_two(largest: f64) -> f64 {
    f64::from_bits(largest.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE)
}
