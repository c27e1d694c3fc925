//! The domain of masks.

use ndarray::{ArrayView, Dimension};
use xai_core::number::check_finite;
use xai_core::{Error, Input, Real, Result};

/// Checks that a mask is in [0, 1].
pub(crate) fn check_unit<T: Real, D: Dimension>(
    input: Input,
    mask: ArrayView<'_, T, D>,
) -> Result<()> {
    check_finite(input, mask.view())?;
    let outside = |x: &T| *x < T::zero() || *x > T::one();
    if !mask.iter().any(outside) {
        return Ok(());
    }
    let mask = mask.into_dyn();
    match mask.indexed_iter().find(|(_, x)| outside(x)) {
        Some((index, value)) => Err(Error::out_of_domain(
            input,
            index.slice(),
            value.to_f64_exact(),
            "a mask in [0, 1]",
        )),
        None => Ok(()),
    }
}
