//! The numbers that arrays hold: real values and class labels.

pub mod elementary;
mod label;
mod radix_sort;
mod real;

pub(crate) use label::all_finite;
pub use label::{
    Label, check_domain, check_finite, check_finite_slice, check_labels, class_index, labels_to_i64,
};
pub use radix_sort::{sort_indexed, sort_keys};
pub use real::{OrderKey, Real};

/// The largest power of two that is not above a positive number: a unit in which numbers of that size neither overflow nor
/// vanish when they are squared, and by which division rounds nothing. At least `f64::MIN_POSITIVE`.
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
