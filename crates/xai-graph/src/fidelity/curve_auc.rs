//! Areas under curves: a general polyline, and the fidelity curve.

use xai_core::error::ShortNumber;
use xai_core::number::check_finite_slice;
use xai_core::tensor::check_shape;
use xai_core::{Error, ExactSum, Input, Real, Result};

use crate::fidelity::characterization::check_fidelities;
use crate::{help, input};

/// Area under `fid₊ / (1 − fid₋)` over a fidelity curve.
///
/// ```text
/// Σ_i (x_{i+1} − x_i) (f_i + f_{i+1}) / 2,  f = fid₊ / (1 − fid₋)
/// ```
///
/// `x` ascends (the share of edges kept, a threshold, …); equal neighbours add nothing. 0 means never necessary;
/// there is no upper bound, since `f` grows without bound as fid₋ approaches 1.
///
/// # Errors
/// `ShapeMismatch` if the lengths differ, `TooFew` for fewer than two points, `NonFinite`, and `OutOfDomain` for a
/// fidelity outside [0, 1], for fid₋ = 1 and for a descent of `x`, naming the point.
///
/// ```
/// let area = xai_graph::fidelity_curve_auc(&[0.0, 0.5], &[0.0, 0.5], &[0.0, 1.0])?;
/// assert_eq!(area, 0.5); // f runs from 0 to 1
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// `fidelity_curve_auc` of PyTorch Geometric, after Amara et al., arXiv 2206.09677.
pub fn fidelity_curve_auc<T: Real>(pos_fidelity: &[T], neg_fidelity: &[T], x: &[T]) -> Result<f64> {
    check_fidelities(pos_fidelity, neg_fidelity)?;
    check_shape(input::X, &[pos_fidelity.len()], &[x.len()])?;
    // Checked before dividing, so that the error names the point instead of an infinite ratio.
    if let Some(point) = neg_fidelity.iter().position(|neg| *neg == T::ONE) {
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

/// Area under the polyline through `(x_i, y_i)`: `Σ (x_{i+1} − x_i)(y_i + y_{i+1})/2`.
///
/// `x` ascends; equal neighbours (a vertical step) add nothing. With `x = 0, 1/n, …, 1` the area is the mean of the
/// curve, its two ends with half weight.
///
/// # Errors
/// `ShapeMismatch` if the lengths differ, `TooFew` for fewer than two points, `NonFinite` for a value that is not
/// finite, `OutOfDomain` naming the first point at which `x` descends.
///
/// ```
/// assert_eq!(xai_graph::fidelity::trapezoid(&[0.0, 1.0, 1.0], &[0.0, 1.0, 3.0])?, 2.5);
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn trapezoid<T: Real>(y: &[T], x: &[T]) -> Result<f64> {
    check_shape(input::X, &[y.len()], &[x.len()])?;
    if y.len() < 2 {
        return Err(Error::too_few(input::POINTS, 2, y.len()));
    }
    check_finite_slice(input::Y, y)?;
    check_ascending(input::X, x)?;
    let area: ExactSum = x
        .windows(2)
        .zip(y.windows(2))
        .map(|(x, y)| {
            let width = x[1].to_f64_exact() - x[0].to_f64_exact();
            // Halves before adding, so that two large values cannot overflow.
            width * (0.5 * y[0].to_f64_exact() + 0.5 * y[1].to_f64_exact())
        })
        .collect();
    Ok(area.value())
}

/// Checks that values are finite and ascending. Neighbours may be equal.
pub(crate) fn check_ascending<T: Real>(input: Input, values: &[T]) -> Result<()> {
    check_finite_slice(input, values)?;
    let Some(before) = values.windows(2).position(|pair| pair[1] < pair[0]) else {
        return Ok(());
    };
    let [least, value] = [before, before + 1].map(|i| values[i].to_f64_exact());
    let expected = format!("ascending {input}, at least {}", ShortNumber(least));
    Err(Error::out_of_domain(input, &[before + 1], value, expected))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xai_core::ErrorKind;

    #[test]
    fn the_area_under_a_line_is_exact() {
        let x: Vec<f64> = (0..=10).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| 2.0 * x + 1.0).collect();
        assert_eq!(trapezoid(&y, &x).unwrap(), 110.0);
        assert_eq!(trapezoid(&[3.0f32, 5.0], &[0.0, 0.5]).unwrap(), 2.0);
    }

    #[test]
    fn bad_curves_are_refused_with_the_place() {
        let error = |y: &[f64], x: &[f64]| trapezoid(y, x).unwrap_err();
        let descent = error(&[0.0; 3], &[0.0, 2.0, 1.0]);
        assert_eq!((descent.input(), descent.index()), (input::X, &[2][..]));
        assert!(matches!(
            descent.kind(),
            ErrorKind::OutOfDomain { value: 1.0, .. }
        ));
        let lengths = error(&[0.0; 3], &[0.0; 2]);
        assert_eq!(lengths.input(), input::X);
        assert!(matches!(lengths.kind(), ErrorKind::ShapeMismatch { .. }));
        let one = error(&[0.0], &[0.0]);
        assert_eq!(one.input(), input::POINTS);
        let nan = error(&[0.0, f64::NAN], &[0.0, 1.0]);
        assert_eq!((nan.input(), nan.index()), (input::Y, &[1][..]));
    }
}
