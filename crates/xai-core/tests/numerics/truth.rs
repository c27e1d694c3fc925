//! Definitions of the statistics in exact arithmetic, and adapters for statistics that need more
//! than one call.

use xai_core::Distance;
use xai_core::Summary;
use xai_core::distance::DistanceFunction;
use xai_core::statistics::{ZeroMethod, wilcoxon_signed_rank};
use xai_core::sum::Moments;

use crate::exact::{Exact, count, exact, ratio, spread, sqrt, std, sum};

pub(crate) fn total(x: &[f64], _: &[f64]) -> Option<Exact> {
    Some(sum(x.iter().map(|x| exact(*x))))
}

pub(crate) fn mean(x: &[f64], _: &[f64]) -> Option<Exact> {
    Some(ratio(total(x, x)?, count(x.len())))
}

pub(crate) fn deviation(x: &[f64], _: &[f64]) -> Option<Exact> {
    Some(std(x))
}

pub(crate) fn moments(x: &[f64]) -> Moments {
    let mut moments = Moments::new();
    x.iter().for_each(|x| moments.add(*x));
    moments
}

pub(crate) fn summary(x: &[f64]) -> Summary {
    Summary::from_values(x.iter().copied().map(Some)).unwrap()
}

pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// Number of concordant minus discordant pairs, and the numbers of pairs that are not tied in `x` and in `y`.
pub(crate) fn pair_orders(x: &[f64], y: &[f64]) -> (i64, i64, i64) {
    let mut orders = (0, 0, 0);
    for i in 0..x.len() {
        for j in 0..i {
            let sign = |v: &[f64]| i64::from(v[i] > v[j]) - i64::from(v[i] < v[j]);
            orders.0 += sign(x) * sign(y);
            orders.1 += sign(x).abs();
            orders.2 += sign(y).abs();
        }
    }
    orders
}

/// Twice the mid-ranks minus twice their mean.
pub(crate) fn ranks(x: &[f64]) -> Vec<f64> {
    let below = |v: &f64| {
        x.iter()
            .map(|w| (v > w) as i32 - (v < w) as i32)
            .sum::<i32>()
    };
    x.iter().map(|v| f64::from(below(v))).collect()
}

pub(crate) fn correlation(x: &[f64], y: &[f64]) -> Option<Exact> {
    let room = spread(x, x) * spread(y, y);
    (room > Exact::ZERO).then(|| ratio(spread(x, y), sqrt(room)))
}

/// Flags of the values above the median.
pub(crate) fn flags(y: &[f64]) -> Vec<bool> {
    let mut sorted = y.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = sorted[(y.len() - 1) / 2];
    y.iter().map(|y| *y > median).collect()
}

pub(crate) fn quantile_of(x: &[f64], q: f64) -> Option<Exact> {
    let mut sorted = x.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let place = exact(q) * count(x.len() - 1);
    let below = place.to_f64().value() as usize;
    let [low, high] = [below, (below + 1).min(x.len() - 1)].map(|place| exact(sorted[place]));
    Some(low.clone() + (place - count(below)) * (high - low))
}

/// Concordance correlation `2 s_xy / (s_x² + s_y² + (x̄ − ȳ)²)`, with numerator and denominator multiplied by `n²`.
pub(crate) fn concordance(x: &[f64], y: &[f64]) -> Option<Exact> {
    let shift = total(x, y)? - total(y, x)?;
    let room = spread(x, x) + spread(y, y) + shift.clone() * shift;
    (room > Exact::ZERO).then(|| ratio(exact(2.0) * spread(x, y), room))
}

/// Half width relative to that of as many values with a known deviation, so that Student's t cancels.
pub(crate) fn relative_to_known(x: &[f64], half_width: impl Fn(&[f64]) -> f64) -> Option<f64> {
    let known: Vec<f64> = (0..x.len()).map(|i| f64::from(i == 0)).collect();
    Some(half_width(x) / half_width(&known)).filter(|ratio| ratio.is_finite())
}

pub(crate) fn deviation_relative_to_known(x: &[f64], _: &[f64]) -> Option<Exact> {
    let known: Vec<f64> = (0..x.len()).map(|i| f64::from(i == 0)).collect();
    Some(std(x) / std(&known))
}

/// Returns `true` if the squares are within the range of exact products that `Moments::std` documents.
pub(crate) fn has_squares(x: &[f64], _: &[f64]) -> bool {
    largest(x) < 1e150 && largest(x) >= 1e-120
}

/// p-value of the first `n` differences.
pub(crate) fn signed_rank(x: &[f64], y: &[f64], n: usize) -> Option<f64> {
    let differences: Vec<f64> = x
        .iter()
        .zip(y)
        .take(n)
        .map(|(x, y)| x / 2.0 - y / 2.0)
        .collect();
    let test = wilcoxon_signed_rank(&differences, ZeroMethod::Wilcox);
    test.unwrap().p_value
}

/// Twice the ranks of the non-zero differences, and the smaller of their sums by sign.
pub(crate) fn signed_ranks(x: &[f64], y: &[f64], n: usize) -> (Vec<usize>, usize) {
    let differences = x.iter().zip(y).take(n).map(|(x, y)| x / 2.0 - y / 2.0);
    let moved: Vec<f64> = differences.filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = moved.iter().map(|d| d.abs()).collect();
    let twice = ranks(&sizes)
        .into_iter()
        .map(|rank| rank as i64 + sizes.len() as i64 + 1);
    let twice: Vec<usize> = twice.map(|rank| rank as usize).collect();
    let above: usize = twice
        .iter()
        .zip(&moved)
        .filter(|(_, d)| **d > 0.0)
        .map(|(rank, _)| rank)
        .sum();
    let smaller = above.min(twice.iter().sum::<usize>() - above);
    (twice, smaller)
}

/// Complementary error function, `1 − 2/√π Σ (−1)^k z^(2k+1) / (k! (2k+1))`.
pub(crate) fn erfc(z: Exact) -> Exact {
    let z = z.with_precision(2000).value();
    let square = z.clone() * z.clone();
    let (mut power, mut series) = (z.clone(), z.clone());
    for k in 1..1500 {
        power = -power * square.clone() / count(k);
        series += power.clone() / count(2 * k + 1);
    }
    let pi: Exact = Exact::pi(2000);
    exact(1.0) - exact(2.0) * series / pi.sqrt()
}

pub(crate) fn distance(by: Distance) -> impl Fn(&[f64], &[f64]) -> Option<f64> {
    move |x, y| Some(by.distance(x, y))
}

pub(crate) fn differences<'a>(x: &'a [f64], y: &'a [f64]) -> impl Iterator<Item = Exact> + 'a {
    x.iter().zip(y).map(|(x, y)| exact(*x) - exact(*y))
}

pub(crate) fn squared_distance(x: &[f64], y: &[f64]) -> Exact {
    sum(differences(x, y).map(|d| d.clone() * d))
}

pub(crate) fn has_squared_distance(x: &[f64], y: &[f64]) -> bool {
    let squares = squared_distance(x, y).to_f64().value();
    (1e-280..f64::INFINITY).contains(&squares)
}
