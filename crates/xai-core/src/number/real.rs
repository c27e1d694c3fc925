//! The floating-point types `f32` and `f64`, and integer keys that sort like them.

use std::fmt::{Debug, Display};
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// Element of a numeric array: `f32` or `f64`. Results are always `f64`.
///
/// The trait has what metrics need of a floating-point number, with the meaning of the methods of
/// `f64` of the same name.
pub trait Real:
    sealed::Sealed
    + Copy
    + Default
    + PartialOrd
    + Into<f64>
    + Debug
    + Display
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + MulAssign
    + Sum
    + 'static
{
    /// The number 0.
    const ZERO: Self;
    /// The number 1.
    const ONE: Self;
    /// Positive infinity.
    const INFINITY: Self;
    /// Negative infinity.
    const NEG_INFINITY: Self;

    /// Returns `true` unless the number is infinite or NaN.
    #[must_use]
    fn is_finite(self) -> bool;

    /// Returns `true` for NaN.
    #[must_use]
    fn is_nan(self) -> bool;

    /// Absolute value.
    #[must_use]
    fn abs(self) -> Self;

    /// Square root.
    #[must_use]
    fn sqrt(self) -> Self;

    /// The larger of two numbers; if one is NaN, the other.
    #[must_use]
    fn max(self, other: Self) -> Self;

    /// The smaller of two numbers; if one is NaN, the other.
    #[must_use]
    fn min(self, other: Self) -> Self;

    /// Converts to `f64`, exactly.
    #[must_use]
    fn to_f64_exact(self) -> f64 {
        self.into()
    }

    /// Nearest value of this type.
    #[must_use]
    fn from_f64_nearest(value: f64) -> Self;

    /// Type of [`order_key`](Self::order_key), with as many bits as this type.
    type Key: OrderKey;

    /// Integer that sorts like this finite number. 0 and −0 have the same key.
    #[must_use]
    fn order_key(self) -> Self::Key;

    /// Number with the given key.
    #[must_use]
    fn from_order_key(key: Self::Key) -> Self;
}

macro_rules! real {
    ($($real:ty: $key:ty),+) => {$(
        impl Real for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INFINITY: Self = <$real>::INFINITY;
            const NEG_INFINITY: Self = <$real>::NEG_INFINITY;

            // Inherent methods take precedence, so these calls are not recursive.
            #[inline]
            fn is_finite(self) -> bool {
                self.is_finite()
            }

            #[inline]
            fn is_nan(self) -> bool {
                self.is_nan()
            }

            #[inline]
            fn abs(self) -> Self {
                self.abs()
            }

            #[inline]
            fn sqrt(self) -> Self {
                self.sqrt()
            }

            #[inline]
            fn max(self, other: Self) -> Self {
                self.max(other)
            }

            #[inline]
            fn min(self, other: Self) -> Self {
                self.min(other)
            }

            #[inline]
            fn from_f64_nearest(value: f64) -> Self {
                value as $real
            }

            type Key = $key;

            #[inline]
            fn order_key(self) -> $key {
                // IEEE numbers of one sign sort like their bits, negative ones in reverse. So all
                // bits of a negative number are flipped, and only the sign bit of others. Adding 0
                // turns −0 into 0.
                const SIGN: u32 = <$key>::BITS - 1;
                let bits = (self + 0.0).to_bits();
                bits ^ ((bits.cast_signed() >> SIGN).cast_unsigned() | 1 << SIGN)
            }

            #[inline]
            fn from_order_key(key: $key) -> Self {
                const SIGN: u32 = <$key>::BITS - 1;
                Self::from_bits(if key >> SIGN == 0 { !key } else { key ^ 1 << SIGN })
            }
        }
    )+};
}
real!(f32: u32, f64: u64);

/// Unsigned integer that sorts like the finite number it was made from by
/// [`Real::order_key`](super::Real::order_key). 0 and −0 have the same key.
pub trait OrderKey: Copy + Ord + Default + Send + Sync + Debug + 'static {
    /// Number of bits.
    const BITS: u32;

    /// Key with an index in its low bits, which sorts by key, and equal keys by index.
    type WithIndex: Copy + Ord + Default + Send + Sync + Debug;

    /// Key that sorts in the opposite direction.
    #[must_use]
    fn reversed(self) -> Self;

    /// Key shifted right by `shift` bits.
    #[must_use]
    fn bits_from(self, shift: u32) -> usize;

    /// Appends an index.
    #[must_use]
    fn with_index(self, index: u32) -> Self::WithIndex;

    /// Index that was appended to the key.
    #[must_use]
    fn index(key: Self::WithIndex) -> u32;

    /// Key without its index.
    #[must_use]
    fn key(key: Self::WithIndex) -> Self;
}

macro_rules! order_key {
    ($($key:ty: $with_index:ty),+) => {$(
        impl OrderKey for $key {
            const BITS: u32 = <$key>::BITS;
            type WithIndex = $with_index;

            #[inline]
            fn reversed(self) -> Self {
                !self
            }

            #[inline]
            fn bits_from(self, shift: u32) -> usize {
                (self >> shift) as usize
            }

            #[inline]
            fn with_index(self, index: u32) -> $with_index {
                <$with_index>::from(self) << <$key>::BITS | <$with_index>::from(index)
            }

            #[inline]
            fn index(key: $with_index) -> u32 {
                key as u32
            }

            #[inline]
            fn key(key: $with_index) -> Self {
                (key >> <$key>::BITS) as $key
            }
        }
    )+};
}
order_key!(u32: u64, u64: u128);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Real;
    use proptest::prelude::*;

    fn same_order<T: Real>(a: T, b: T) -> bool {
        Some(a.order_key().cmp(&b.order_key())) == a.partial_cmp(&b)
    }

    proptest! {
        #[test]
        fn keys_sort_like_the_numbers(
            a in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
            b in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        ) {
            prop_assert!(same_order(a, b) && same_order(a, a) && same_order(a, -a));
            let (a, b) = (a as f32, b as f32);
            if a.is_finite() && b.is_finite() {
                prop_assert!(same_order(a, b) && same_order(a, -a));
            }
        }

        #[test]
        fn a_key_is_converted_back_to_its_number(a in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL) {
            prop_assert_eq!(f64::from_order_key(a.order_key()), a);
        }
    }

    #[test]
    fn equal_keys_sort_by_index() {
        let (zero, minus_zero) = (0f64.order_key(), (-0f64).order_key());
        assert_eq!(zero, minus_zero);
        assert!(zero.with_index(1) < minus_zero.with_index(2));
        assert_eq!(u64::index(zero.with_index(7)), 7);
        assert!(1f32.order_key().reversed() < 0f32.order_key().reversed());
        assert_eq!(1f32.order_key().bits_from(16), 0xbf80);
    }
}
