//! All reductions and statistics compared with exact arithmetic, on data for which rounding errors
//! are large.
//!
//! The bounds are those of the documentation. In their derivations `u` is `2^-53`, the largest
//! relative error of one operation.

mod exact;
mod statistics;
mod truth;

use xai_core::Activation;
use xai_core::number::elementary;
use xai_core::random::random_stream;
use xai_core::sum::Moments;

use crate::exact::{Exact, abs, count, exact, long, ratio, sqrt, sum, ulp, unit_roundoff};
use crate::statistics::{Bound, statistics};

/// Names and data sets, each with two columns of equal length.
fn data() -> Vec<(&'static str, Vec<f64>, Vec<f64>)> {
    let mut stream = random_stream(7, 0);
    let mut uniform = move || stream.next_u64() as f64 / 2f64.powi(63) - 1.0;
    let mut columns = |name, n, of: &dyn Fn(f64) -> f64| {
        let mut column = || (0..n).map(|_| of(uniform())).collect::<Vec<f64>>();
        (name, column(), column())
    };
    let next = |x: f64| f64::from_bits(x.to_bits() + 1);
    vec![
        columns("of ordinary size", 200, &|x| x),
        columns("with ties", 200, &|x| (x * 8.0).round() / 4.0),
        columns("far from 0", 200, &|x| 1e8 + 1e-4 * x),
        columns("a few units in the last place apart", 60, &|x| {
            1e15 + (x * 4.0).round() / 8.0
        }),
        columns("of all sizes", 100, &|x| x * 10f64.powf(100.0 * x)),
        columns("subnormal", 60, &|x| (x * 50.0).round() * 5e-324),
        columns("tiny", 60, &|x| 1e-290 + 1e-291 * x),
        columns("at the end of the range", 60, &|x| 1.7e308 * x.signum()),
        columns("near the end of the range", 60, &|x| 1.5e308 + 1e300 * x),
        columns("huge and tiny", 60, &|x| {
            if x > 0.9 { 1e300 * x } else { 1e-300 * x }
        }),
        ("a constant", vec![0.1; 9], vec![0.1; 9]),
        (
            "across the range",
            vec![-1.6e308, 1.7e308, 1.7e308],
            vec![1.0, 2.0, 4.0],
        ),
        (
            "small and large",
            vec![0.1, 0.3, 0.2, 0.7],
            vec![3e4, 1e4, 2e4, 7e4],
        ),
        (
            "large and small",
            vec![3e4, 1e4, 2e4, 7e4],
            vec![0.1, 0.3, 0.2, 0.7],
        ),
        (
            "two values, far from 0",
            vec![1e8, 1e8 + 1e-2],
            vec![1e8 + 1e-2, 1e8],
        ),
        (
            "two neighbours",
            vec![1e8, next(1e8)],
            vec![-3e15, next(-3e15)],
        ),
        (
            "one value that differs",
            [vec![1e8; 99], vec![1e8 + 1e-2]].concat(),
            [vec![3.0], vec![1e8; 99]].concat(),
        ),
    ]
}

#[test]
fn statistics_are_within_their_error_bounds() {
    let mut wrong = Vec::new();
    for statistic in statistics() {
        let mut worst = 0.0f64;
        for (on, x, y) in data() {
            let ours = (statistic.ours)(&x, &y);
            let is_defined = (statistic.domain)(&x, &y);
            let truth = is_defined.then(|| (statistic.truth)(&x, &y)).flatten();
            let in_range = |truth: &Exact| truth.to_f64().value().is_finite();
            let error = match (ours, truth.filter(in_range)) {
                (Some(ours), Some(truth)) if ours.is_finite() => {
                    let bound = match statistic.bound {
                        Bound::Ulps(ulps) => exact(ulps) * ulp(&truth),
                        Bound::Absolute(units) => exact(units) * unit_roundoff(),
                        Bound::Of(size) => size(&x, &y) * unit_roundoff() + ulp(&truth),
                    };
                    let error = abs(exact(ours) - truth);
                    if error == Exact::ZERO {
                        0.0
                    } else {
                        ratio(error, bound).to_f64().value()
                    }
                }
                (None, None) => 0.0,
                (Some(ours), None) if !ours.is_finite() => 0.0,
                _ => f64::INFINITY,
            };
            worst = worst.max(error);
            if error > 1.0 {
                wrong.push((statistic.name, on, ours, error));
            }
        }
        println!("{:24} {worst:.2} of its bound", statistic.name);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Arguments of the exponential function.
fn arguments() -> impl Iterator<Item = f64> {
    let grid = (-745..=709).map(|i| f64::from(i) + 0.37);
    grid.chain([0.0, 1e-300, -1e-17, 1e-9, -708.4, 709.78, -744.44])
}

#[test]
fn elementary_functions_are_within_one_and_a_half_units() {
    let check = |name: &str, x: f64, ours: f64, truth: Exact| {
        let error = ratio(abs(exact(ours) - truth.clone()), ulp(&truth));
        assert!(
            error <= exact(1.5),
            "{name} of {x}: {ours}, off by {error} units"
        );
    };
    for x in arguments() {
        let power = long(exact(x)).exp();
        check("exp", x, elementary::exp(x), power.clone());
        let size = power.to_f64().value();
        if size != 1.0 {
            check("ln", size, elementary::ln(size), long(exact(size)).ln());
        }
    }
}

#[test]
fn activations_are_within_their_bounds() {
    let rows = [
        vec![0.0; 3],
        vec![40.0, 0.0, -3.5],
        vec![1e8 + 1e-4, 1e8, 1e8 - 1e-3],
        vec![-1e300, -1e300 + 1e284],
        (0..100)
            .map(|i| f64::from(i * 37 % 101) / 3.0 - 20.0)
            .collect(),
        vec![-700.0, 30.0, 5e-324, 700.0],
    ];
    for row in rows {
        let after = |activation: Activation| {
            let mut row = row.clone();
            activation.apply_row(&mut row);
            row
        };
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let below_top: Vec<Exact> = row.iter().map(|x| exact(*x) - exact(top)).collect();
        // Powers of smaller arguments underflow.
        let near = |x: &Exact| *x > exact(-2000.0);
        let powers = below_top
            .iter()
            .filter(|x| near(x))
            .map(|x| long(x.clone()).exp());
        let total = long(sum(powers));
        let (softmax, logs, sigmoid) = (
            after(Activation::Softmax),
            after(Activation::LogSoftmax),
            after(Activation::Sigmoid),
        );
        for (i, x) in below_top.iter().enumerate().filter(|(_, x)| near(x)) {
            // Relative errors: u for a difference, 3 u for a power, n u for the sum, u for the quotient.
            let size = count(row.len()) + exact(8.0) + abs(x.clone());
            let share = long(x.clone()).exp() / total.clone();
            let bound = size.clone() * unit_roundoff() * share.clone() + exact(5e-324);
            assert!(
                abs(exact(softmax[i]) - share) <= bound,
                "softmax {i} of {row:?}: {}",
                softmax[i]
            );
            let log = x.clone() - total.ln();
            assert!(
                abs(exact(logs[i]) - log) <= size * unit_roundoff(),
                "log-softmax {i} of {row:?}: {}",
                logs[i]
            );
        }
        for (x, ours) in row.iter().zip(sigmoid).filter(|(x, _)| x.abs() < 2000.0) {
            let truth = ratio(exact(1.0), long(exact(1.0)) + long(exact(-x)).exp());
            // Errors of the power, the sum and the quotient.
            assert!(
                abs(exact(ours) - truth.clone()) <= exact(4.0) * ulp(&truth),
                "sigmoid of {x}: {ours}"
            );
        }
    }
}

/// Values around 1e8 that differ by one or more units in the last place. The expected values are
/// computed in integers.
#[test]
fn ten_million_terms_far_from_zero_keep_their_mean_and_deviation() {
    const N: u64 = 10_000_000;
    let (unit, mut stream) = (2f64.powi(-26), random_stream(3, 0));
    let (mut sum, mut squares) = (0i128, 0i128);
    let mut moments = Moments::new();
    for _ in 0..N {
        let deviation = (stream.next_u64() >> 51) as i32 - 4096;
        sum += i128::from(deviation);
        squares += i128::from(deviation) * i128::from(deviation);
        moments.add(1e8 + f64::from(deviation) * unit);
    }
    let mean = exact(1e8) + ratio(exact(sum as f64), count(N as usize)) * exact(unit);
    let error = abs(exact(moments.mean().unwrap()) - mean.clone());
    assert!(error <= exact(1.5) * ulp(&mean));
    let n = i128::from(N);
    // Split into two doubles, each of which is exact.
    let spread = n * squares - sum * sum;
    let spread = exact((spread >> 40) as f64) * exact(2f64.powi(40))
        + exact((spread & ((1 << 40) - 1)) as f64);
    let std = sqrt(ratio(spread, count(N as usize) * count(N as usize - 1))) * exact(unit);
    let error = abs(exact(moments.std().unwrap()) - std.clone());
    assert!(error <= exact(4.0) * ulp(&std));
}
