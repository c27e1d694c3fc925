//! The two floating-point types that arrays may hold.

use num_traits::Float;

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
}

impl Real for f32 {
    #[allow(clippy::cast_possible_truncation)] // rounding is the purpose
    fn from_f64_nearest(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    fn from_f64_nearest(value: f64) -> Self {
        value
    }
}
