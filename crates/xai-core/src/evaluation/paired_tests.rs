//! Paired tests of all pairs of explainers, with a correction for multiple tests.

use crate::describe::Direction;
use crate::statistics::{ZeroMethod, wilcoxon_signed_rank};
use crate::{ExactMean, Result, parallel};

use crate::evaluation::{Comparison, ExplainerValue};

/// Differences up to this share of the largest value of both explainers count as 0.
const NEGLIGIBLE: f64 = 1e-6;

/// Holm's correction of p-values for multiple tests. If tests with a corrected value below α are
/// called significant, the probability of *any* false positive among them is at most α.
///
/// ```text
/// p'_(k) = max_{j ≤ k} min(1, (m − j + 1) p_(j))      p_(1) ≤ … ≤ p_(m)
/// ```
///
/// `None` stays `None` and does not count as a test.
///
/// ```
/// use xai_core::evaluation::holm;
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
    for (rank, &(i, p)) in order.iter().enumerate() {
        let tests_left = (order.len() - rank) as f64;
        // The running maximum keeps corrected values in the order of the p-values.
        largest = largest.max((tests_left * p).min(1.0));
        corrected[i] = Some(largest);
    }
    corrected
}

/// Compares every pair of explainers, the one with the better value first, with p-values corrected
/// for all pairs.
pub(crate) fn compare(
    direction: Direction,
    values: &[ExplainerValue],
    ranking: &[usize],
) -> Result<Vec<Comparison>> {
    let mut pairs = Vec::new();
    for (rank, &first) in ranking.iter().enumerate() {
        let worse = &ranking[rank + 1..];
        pairs.extend(
            worse
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

/// Compares one pair, without correcting its p-value.
fn compare_two(
    direction: Direction,
    first: &ExplainerValue,
    second: &ExplainerValue,
) -> Result<Comparison> {
    let differences = differences(first, second);
    let test = wilcoxon_signed_rank(&differences, ZeroMethod::Wilcox)?;
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

/// Differences of two explainers on the samples for which both have a value.
///
/// Tiny differences between values that are equal by definition, from an ε in a formula or from
/// rounding, become 0. Otherwise all of them would favour the same explainer, and the signed-rank
/// test, which ignores magnitudes, would be significant.
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
