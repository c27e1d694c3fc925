//! The area under a fidelity curve.

use xai_core::number::check_finite_slice;
use xai_core::{Error, Real, Result};

use crate::fidelity::characterization::check_fidelities;
use crate::fidelity::trapezoid::trapezoid;
use crate::{help, input};

/// The area under `fid₊ / (1 − fid₋)` over a fidelity curve.
///
/// ```text
/// Σ_i (x_{i+1} − x_i) (f_i + f_{i+1}) / 2,  f = fid₊ / (1 − fid₋)
/// ```
///
/// `x` ascends (the share of edges kept, a threshold, …); equal neighbours add nothing. 0 = never
/// necessary; there is no upper bound, since `f` grows without bound as fid₋ nears 1.
///
/// # Errors
/// `ShapeMismatch` when the lengths differ, `TooFew` below two points,
/// `NonFinite` and `OutOfDomain` for a fidelity outside [0, 1], for fid₋ = 1 and
/// for a descent of `x`, naming the point.
///
/// ```
/// let area = xai_graph::fidelity_curve_auc(&[0.0, 0.5], &[0.0, 0.5], &[0.0, 1.0])?;
/// assert_eq!(area, 0.5); // f runs from 0 to 1
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// `fidelity_curve_auc` of `PyTorch` Geometric, after Amara et al., arXiv 2206.09677.
pub fn fidelity_curve_auc<T: Real>(pos_fidelity: &[T], neg_fidelity: &[T], x: &[T]) -> Result<f64> {
    check_fidelities(pos_fidelity, neg_fidelity)?;
    if x.len() != pos_fidelity.len() {
        return Err(Error::shape(input::X, &[pos_fidelity.len()], &[x.len()]));
    }
    if let Some(point) = neg_fidelity.iter().position(|neg| *neg == T::one()) {
        let expected = "less than 1, the curve divides by 1 - fid-";
        let error = Error::out_of_domain(input::NEG_FIDELITY, &[point], 1.0, expected);
        return Err(error.with_help(help::LEAVE_THE_POINT_OUT));
    }
    check_finite_slice(input::X, x)?;
    let x: Vec<f64> = x.iter().map(|x| x.to_f64_exact()).collect();
    let ratio: Vec<f64> = std::iter::zip(pos_fidelity, neg_fidelity)
        .map(|(pos, neg)| pos.to_f64_exact() / (1.0 - neg.to_f64_exact()))
        .collect();
    trapezoid(&ratio, &x)
}
