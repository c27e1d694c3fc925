//! The paired test of two explainers, and what many such tests need.

use statrs::function::erf::erfc;
use xai_core::describe::Direction;
use xai_core::number::check_finite_slice;
use xai_core::statistics::ranks::centred_ranks;
use xai_core::{ExactMean, Result, parallel};

use crate::evaluation::{Comparison, ExplainerValue};
use crate::input;

/// Up to this many differences the distribution is exact.
const MOST_EXACT: usize = 50;

/// Differences up to this share of the largest value of the two explainers count as none.
const NEGLIGIBLE: f64 = 1e-6;

/// Wilcoxon's signed-rank test of paired differences, two-sided.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SignedRankTest {
    /// Differences that are not 0; the others say nothing about a direction and are left out.
    pub n: usize,
    /// The sum of the ranks of the positive differences.
    pub w_plus: f64,
    /// The sum of the ranks of the negative differences.
    pub w_minus: f64,
    /// How often chance alone gives rank sums as unequal as these; `None` without differences.
    pub p_value: Option<f64>,
}

/// Wilcoxon's signed-rank test: are paired differences symmetric about 0?
///
/// ```text
/// W⁺ = Σ_{d_i > 0} rank |d_i|      p = 2 P(W ≤ min(W⁺, W⁻))
/// ```
///
/// Zeros are left out, equal sizes share their mean rank. Up to 50 differences the distribution of
/// W under random signs is exact, ties included; above it is normal, with the variance corrected
/// for ties.
///
/// # Errors
/// Not finite.
///
/// ```
/// use xai_attribution::evaluation::wilcoxon_signed_rank;
/// let test = wilcoxon_signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0])?;
/// assert_eq!((test.w_plus, test.w_minus), (15.0, 0.0));
/// assert_eq!(test.p_value, Some(2.0 / 32.0)); // one of 2^5 signs, both sides
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Wilcoxon, *Individual comparisons by ranking methods*, 1945. `scipy.stats.wilcoxon` with its
/// defaults (version 1.17: zeros left out, no continuity correction) gives the same `p` where no
/// difference is 0 and no two sizes are equal. With zeros or ties it does too for up to 13 pairs and for
/// more than 50 differences that are not 0; in between it takes the normal distribution, where this test
/// is exact.
pub fn wilcoxon_signed_rank(differences: &[f64]) -> Result<SignedRankTest> {
    check_finite_slice(input::DIFFERENCES, differences)?;
    let differences: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let n = sizes.len();
    let count = n as f64;
    // Twice the mid-ranks: integers.
    let ranks: Vec<f64> = centred_ranks(&sizes)
        .into_iter()
        .map(|rank| rank + count + 1.0)
        .collect();
    let signed = ranks.iter().zip(&differences);
    let plus: f64 = signed
        .filter(|(_, d)| **d > 0.0)
        .map(|(rank, _)| rank)
        .sum();
    let minus = count * (count + 1.0) - plus;
    let smaller = plus.min(minus);
    let p_value = match n {
        0 => None,
        1..=MOST_EXACT => Some(exact_p_value(&ranks, smaller)),
        _ => Some(normal_p_value(&ranks, smaller / 2.0)),
    };
    Ok(SignedRankTest {
        n,
        w_plus: plus / 2.0,
        w_minus: minus / 2.0,
        p_value,
    })
}

/// Twice the share of all sign patterns whose doubled rank sum is at most `sum`.
fn exact_p_value(doubled_ranks: &[f64], sum: f64) -> f64 {
    let total: f64 = doubled_ranks.iter().sum();
    let mut share = vec![0.0; total as usize + 1];
    share[0] = 1.0;
    for &rank in doubled_ranks {
        let rank = rank as usize;
        for s in (0..share.len()).rev() {
            let with = if s >= rank { share[s - rank] } else { 0.0 };
            share[s] = 0.5 * (share[s] + with);
        }
    }
    (2.0 * share[..=sum as usize].iter().sum::<f64>()).min(1.0)
}

/// From the normal distribution with the mean and the variance of the rank sum.
fn normal_p_value(doubled_ranks: &[f64], sum: f64) -> f64 {
    let n = doubled_ranks.len() as f64;
    let mut sorted = doubled_ranks.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let ties: f64 = sorted
        .chunk_by(|a, b| a == b)
        .map(|tied| tied.len() as f64)
        .map(|t| t * t * t - t)
        .sum();
    let mean = n * (n + 1.0) / 4.0;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    let z = (mean - sum) / variance.sqrt();
    erfc(z / std::f64::consts::SQRT_2).min(1.0)
}

/// Holm's correction of the p-values of a family of tests: a test whose corrected value is below α
/// is significant, with the chance of *any* false one in the family below α.
///
/// ```text
/// p'_(k) = max_{j ≤ k} min(1, (m − j + 1) p_(j))      p_(1) ≤ … ≤ p_(m)
/// ```
///
/// Undefined values stay undefined and do not count as tests.
///
/// ```
/// use xai_attribution::evaluation::holm;
/// let corrected = holm(&[Some(0.01), None, Some(0.04), Some(0.03)]);
/// let expected = [Some(0.03), None, Some(0.06), Some(0.06)]; // 3 · 0.01, 1 · 0.04 ≤ 2 · 0.03
/// for (c, e) in corrected.iter().zip(expected) {
///     assert_eq!(c.is_some(), e.is_some());
///     assert!(c.zip(e).is_none_or(|(c, e)| (c - e).abs() < 1e-15));
/// }
/// ```
///
/// # Source
/// Holm, *A simple sequentially rejective multiple test procedure*, 1979.
#[must_use]
pub fn holm(p_values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<(usize, f64)> = p_values
        .iter()
        .enumerate()
        .filter_map(|(i, p)| p.map(|p| (i, p)))
        .collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut corrected = vec![None; p_values.len()];
    let mut largest: f64 = 0.0;
    for (place, &(i, p)) in order.iter().enumerate() {
        let tests_left = (order.len() - place) as f64;
        largest = largest.max((tests_left * p).min(1.0));
        corrected[i] = Some(largest);
    }
    corrected
}

/// Every pair of explainers, the better value first, with p-values corrected for all pairs.
pub(crate) fn compare(
    direction: Direction,
    values: &[ExplainerValue],
    ranking: &[usize],
) -> Result<Vec<Comparison>> {
    let mut pairs = Vec::new();
    for (place, &first) in ranking.iter().enumerate() {
        let behind = &ranking[place + 1..];
        pairs.extend(
            behind
                .iter()
                .map(|&second| (&values[first], &values[second])),
        );
    }
    let mut comparisons = parallel::try_map(pairs.len(), |pair| {
        let (first, second) = pairs[pair];
        compare_two(direction, first, second)
    })?;
    let p_values: Vec<Option<f64>> = comparisons.iter().map(|c| c.p_value).collect();
    for (comparison, corrected) in comparisons.iter_mut().zip(holm(&p_values)) {
        comparison.p_corrected = corrected;
    }
    Ok(comparisons)
}

/// One pair, its p-value not corrected yet.
fn compare_two(
    direction: Direction,
    first: &ExplainerValue,
    second: &ExplainerValue,
) -> Result<Comparison> {
    let differences = differences(first, second);
    let test = wilcoxon_signed_rank(&differences)?;
    let (low, high) = (test.w_minus > test.w_plus, test.w_plus > test.w_minus);
    let favours = match direction {
        Direction::Lower if low => Some(first),
        Direction::Higher if high => Some(first),
        Direction::Lower | Direction::Higher if low || high => Some(second),
        _ => None,
    };
    Ok(Comparison {
        first: first.explainer.clone(),
        second: second.explainer.clone(),
        n_pairs: differences.len(),
        difference: differences.iter().copied().collect::<ExactMean>().value(),
        favours: favours.map(|value| value.explainer.clone()),
        p_value: test.p_value,
        p_corrected: None,
    })
}

/// The differences of two explainers on the samples that both have a value of. What an ε or a
/// rounding makes of equal values is no difference: it would favour the same side of every pair,
/// however small it is.
fn differences(first: &ExplainerValue, second: &ExplainerValue) -> Vec<f64> {
    let all = first.per_sample.iter().chain(&second.per_sample).flatten();
    let largest = all.fold(0.0f64, |largest, x| largest.max(x.abs()));
    let noise = NEGLIGIBLE * largest;
    let pairs = first.per_sample.iter().zip(&second.per_sample);
    let differences = pairs.filter_map(|(a, b)| Some(a.as_ref()? - b.as_ref()?));
    differences
        .map(|d| if d.abs() <= noise { 0.0 } else { d })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All 2^n sign patterns, counted one by one.
    fn by_enumeration(differences: &[f64]) -> f64 {
        let n = differences.len();
        let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
        let ranks: Vec<f64> = (0..n)
            .map(|i| {
                let below = sizes.iter().filter(|s| **s < sizes[i]).count();
                let equal = sizes.iter().filter(|s| **s == sizes[i]).count();
                below as f64 + (equal as f64 + 1.0) / 2.0
            })
            .collect();
        let sum = |signs: usize| -> f64 {
            (0..n)
                .filter(|i| signs >> i & 1 == 1)
                .map(|i| ranks[i])
                .sum()
        };
        let total: f64 = ranks.iter().sum();
        let plus: f64 = (0..n)
            .filter(|&i| differences[i] > 0.0)
            .map(|i| ranks[i])
            .sum();
        let smaller = plus.min(total - plus);
        let extreme = (0..1usize << n).filter(|&s| sum(s) <= smaller).count();
        (2.0 * extreme as f64 / (1usize << n) as f64).min(1.0)
    }

    proptest! {
        #[test]
        fn the_exact_distribution_is_that_of_all_signs(
            d in prop::collection::vec((-6i8..6).prop_filter("zeros", |x| *x != 0), 1..11)
        ) {
            let d: Vec<f64> = d.into_iter().map(f64::from).collect();
            let p = wilcoxon_signed_rank(&d).unwrap().p_value.unwrap();
            prop_assert!((p - by_enumeration(&d)).abs() < 1e-12);
        }

        #[test]
        fn exchanging_the_two_sides_changes_nothing_but_the_sides(
            d in prop::collection::vec(-9i8..9, 0..80)
        ) {
            let d: Vec<f64> = d.into_iter().map(f64::from).collect();
            let negated: Vec<f64> = d.iter().map(|x| -x).collect();
            let (a, b) = (wilcoxon_signed_rank(&d).unwrap(), wilcoxon_signed_rank(&negated).unwrap());
            prop_assert_eq!((a.w_plus, a.p_value), (b.w_minus, b.p_value));
            prop_assert!(a.p_value.is_none_or(|p| p > 0.0 && p <= 1.0));
        }
    }

    #[test]
    fn nothing_but_zeros_is_no_evidence() {
        let test = wilcoxon_signed_rank(&[0.0, -0.0]).unwrap();
        assert_eq!((test.n, test.p_value), (0, None));
    }
}
