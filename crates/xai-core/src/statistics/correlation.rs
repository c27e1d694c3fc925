//! How two sequences hang together.

use crate::error::{Error, Result};
use crate::input;
use crate::number::{Real, check_finite_slice};
use crate::sum::ExactSum;

/// Pearson's correlation `Σ (x − x̄)(y − ȳ) / √(Σ (x − x̄)² Σ (y − ȳ)²)`.
///
/// In [−1, 1]: 1 = on a rising line, 0 = unrelated, −1 = on a falling line. `None` below two values
/// or where either side is constant.
///
/// # Errors
/// [`ErrorKind::ShapeMismatch`](crate::ErrorKind::ShapeMismatch) when the lengths differ,
/// [`ErrorKind::NonFinite`](crate::ErrorKind::NonFinite).
///
/// ```
/// use xai_core::statistics::pearson;
/// assert_eq!(pearson(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0])?, Some(1.0));
/// assert_eq!(pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 1.0])?, Some(0.0));
/// assert_eq!(pearson(&[1.0, 1.0], &[1.0, 2.0])?, None);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Pearson, *Note on regression and inheritance in the case of two parents*, 1895.
pub fn pearson<T: Real>(x: &[T], y: &[T]) -> Result<Option<f64>> {
    if x.len() != y.len() {
        return Err(Error::shape(input::B, &[x.len()], &[y.len()]));
    }
    check_finite_slice(input::A, x)?;
    check_finite_slice(input::B, y)?;
    let widen = |values: &[T]| {
        values
            .iter()
            .map(|v| v.to_f64_exact())
            .collect::<Vec<f64>>()
    };
    Ok(pearson_of_finite(&widen(x), &widen(y)))
}

/// [`pearson`] of finite values of one length.
pub(crate) fn pearson_of_finite(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() < 2 {
        return None;
    }
    let (dx, dy) = (centred(x), centred(y));
    let covariance = sum_of_products(&dx, &dy);
    let spreads = (sum_of_products(&dx, &dx), sum_of_products(&dy, &dy));
    let correlation = covariance / (spreads.0 * spreads.1).sqrt();
    (spreads.0 > 0.0 && spreads.1 > 0.0).then(|| correlation.clamp(-1.0, 1.0))
}

/// Deviations from the mean.
fn centred(x: &[f64]) -> Vec<f64> {
    let mean = x.iter().copied().collect::<ExactSum>().value() / x.len() as f64;
    // A constant column is exactly so, whatever its mean rounds to.
    match x.iter().all(|&value| value == x[0]) {
        true => vec![0.0; x.len()],
        false => x.iter().map(|value| value - mean).collect(),
    }
}

fn sum_of_products(x: &[f64], y: &[f64]) -> f64 {
    let products = x.iter().zip(y).map(|(a, b)| a * b);
    products.collect::<ExactSum>().value()
}
