//! Exact sums, means and moments, whose results do not depend on the order of the terms, and a
//! plain dot product.

mod compact_sum;
mod dot;
pub(crate) mod exact_sum;
mod lanes;
pub(crate) mod moments;

pub use compact_sum::CompactSum;
pub use dot::dot;
pub(crate) use exact_sum::ExactSum;
pub(crate) use moments::ExactMean;
pub use moments::Moments;

use crate::number::Real;

macro_rules! collected {
    ($($sum:ident),+) => {$(
        impl<T: Real> FromIterator<T> for $sum {
            fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
                let mut sum = Self::new();
                sum.extend(values);
                sum
            }
        }
    )+};
}
collected!(ExactSum, CompactSum, ExactMean);

impl<T: Real> Extend<T> for CompactSum {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.add(value));
    }
}
