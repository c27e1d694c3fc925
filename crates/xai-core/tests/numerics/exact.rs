//! Exact arithmetic.

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;

/// Binary floating-point number of unlimited precision: additions and multiplications are exact.
pub(crate) type Exact = FBig<HalfEven, 2>;

pub(crate) fn exact(x: f64) -> Exact {
    Exact::try_from(x).unwrap().with_precision(0).value()
}

/// Rounds to 400 bits, for operations whose results have infinitely many digits.
pub(crate) fn long(x: Exact) -> Exact {
    x.with_precision(400).value()
}

pub(crate) fn ratio(a: Exact, b: Exact) -> Exact {
    long(a) / long(b)
}

pub(crate) fn sqrt(x: Exact) -> Exact {
    long(x).sqrt()
}

pub(crate) fn abs(x: Exact) -> Exact {
    if x < Exact::ZERO { -x } else { x }
}

pub(crate) fn sum(terms: impl Iterator<Item = Exact>) -> Exact {
    terms.fold(exact(0.0), |sum, term| sum + term)
}

pub(crate) fn count(n: usize) -> Exact {
    exact(n as f64)
}

/// Scaled covariance, `n Σ x y − Σ x Σ y`.
pub(crate) fn spread(x: &[f64], y: &[f64]) -> Exact {
    let products = sum(x.iter().zip(y).map(|(x, y)| exact(*x) * exact(*y)));
    let [x_sum, y_sum] = [x, y].map(|values| sum(values.iter().map(|x| exact(*x))));
    count(x.len()) * products - x_sum * y_sum
}

pub(crate) fn std(x: &[f64]) -> Exact {
    let n = x.len();
    sqrt(ratio(spread(x, x), count(n) * count(n - 1)))
}

/// Unit in the last place of the double nearest to `x`.
pub(crate) fn ulp(x: &Exact) -> Exact {
    let near = x.to_f64().value().abs();
    exact(f64::from_bits(near.to_bits() + 1)) - exact(near)
}

pub(crate) fn unit_roundoff() -> Exact {
    exact(f64::EPSILON / 2.0)
}
