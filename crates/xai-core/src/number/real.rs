//! The two floating-point types that arrays may hold.

use num_traits::Float;

use super::order_key::OrderKey;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// An element of a numeric array: `f32` or `f64`. Results are always `f64`.
pub trait Real:
    sealed::Sealed
    + Float
    + Into<f64>
    + Default
    + Send
    + Sync
    + std::fmt::Debug
    + std::fmt::Display
    + std::iter::Sum
    + std::ops::AddAssign
    + std::ops::MulAssign
    + 'static
{
    /// The value as `f64`, exactly.
    #[must_use]
    fn to_f64_exact(self) -> f64 {
        self.into()
    }

    /// The nearest value of this type.
    #[must_use]
    fn from_f64_nearest(value: f64) -> Self;

    /// What [`order_key`](Self::order_key) gives: as many bits as this type has.
    type Key: OrderKey;

    /// The bits of a finite number, turned so that they are in its order; 0 and −0 are one.
    #[must_use]
    fn order_key(self) -> Self::Key;

    /// The number of a key.
    #[must_use]
    fn from_order_key(key: Self::Key) -> Self;
}

impl Real for f32 {
    fn from_f64_nearest(value: f64) -> Self {
        value as f32
    }

    type Key = u32;

    #[inline]
    fn order_key(self) -> u32 {
        let bits = (self + 0.0).to_bits();
        bits ^ ((bits.cast_signed() >> 31).cast_unsigned() | 1 << 31)
    }

    #[inline]
    fn from_order_key(key: u32) -> Self {
        Self::from_bits(if key >> 31 == 0 { !key } else { key ^ 1 << 31 })
    }
}

impl Real for f64 {
    fn from_f64_nearest(value: f64) -> Self {
        value
    }

    type Key = u64;

    #[inline]
    fn order_key(self) -> u64 {
        let bits = (self + 0.0).to_bits();
        bits ^ ((bits.cast_signed() >> 63).cast_unsigned() | 1 << 63)
    }

    #[inline]
    fn from_order_key(key: u64) -> Self {
        Self::from_bits(if key >> 63 == 0 { !key } else { key ^ 1 << 63 })
    }
}
