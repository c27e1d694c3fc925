//! How two columns of the study hang together.

use xai_core::ExactSum;

/// Pearson's correlation; `None` below two values or where either is constant.
pub(crate) fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() < 2 {
        return None;
    }
    let (dx, dy) = (centred(x), centred(y));
    let covariance = products(&dx, &dy);
    let spreads = (products(&dx, &dx), products(&dy, &dy));
    let correlation = covariance / (spreads.0 * spreads.1).sqrt();
    (spreads.0 > 0.0 && spreads.1 > 0.0).then(|| correlation.clamp(-1.0, 1.0))
}

/// Spearman's rank correlation: Pearson's of mid-ranks.
pub(crate) fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    pearson(&mid_ranks(x), &mid_ranks(y))
}

/// The chance that a value of the second kind is above one of the first, ties counting half: the area
/// under the ROC curve. `None` without both kinds.
#[allow(clippy::cast_precision_loss)] // fewer draws than 2^53
pub(crate) fn auroc(values: &[f64], is_second: &[bool]) -> Option<f64> {
    let n_second = is_second.iter().filter(|&&second| second).count() as f64;
    let n_first = values.len() as f64 - n_second;
    let ranks = mid_ranks(values);
    let of_second = ranks.iter().zip(is_second).filter(|(_, second)| **second);
    // Half-integers: exact below 2^52.
    let sum: f64 = of_second.map(|(rank, _)| rank).sum();
    let above = sum - n_second * (n_second + 1.0) / 2.0;
    (n_first > 0.0 && n_second > 0.0).then(|| above / (n_first * n_second))
}

/// The share of the variance of values that lies between groups, η²; `None` where values are constant
/// or there are fewer than two groups.
#[allow(clippy::cast_precision_loss)]
pub(crate) fn correlation_ratio(values: &[f64], groups: &[usize]) -> Option<f64> {
    let n_groups = groups.iter().max().map_or(0, |&group| group + 1);
    let deviations = centred(values);
    let mut sums = vec![(ExactSum::new(), 0u64); n_groups];
    for (&value, &group) in deviations.iter().zip(groups) {
        sums[group].0.add(value);
        sums[group].1 += 1;
    }
    let present = sums.iter().filter(|(_, n)| *n > 0);
    let between: ExactSum = present
        .clone()
        .map(|(sum, n)| sum.value() * sum.value() / *n as f64)
        .collect();
    let total = products(&deviations, &deviations);
    let share = between.value() / total;
    (total > 0.0 && present.count() > 1).then(|| share.clamp(0.0, 1.0))
}

#[allow(clippy::cast_precision_loss)]
fn centred(x: &[f64]) -> Vec<f64> {
    let mean = x.iter().copied().collect::<ExactSum>().value() / x.len() as f64;
    // A constant column is exactly so, whatever its mean rounds to.
    match x.iter().all(|&value| value == x[0]) {
        true => vec![0.0; x.len()],
        false => x.iter().map(|value| value - mean).collect(),
    }
}

fn products(x: &[f64], y: &[f64]) -> f64 {
    let products = x.iter().zip(y).map(|(a, b)| a * b);
    products.collect::<ExactSum>().value()
}

/// Ranks from 1; equal values share the mean of theirs.
#[allow(clippy::cast_precision_loss)]
fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    #[allow(clippy::float_cmp)] // ties are exact
    for ties in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = before as f64 + (ties.len() + 1) as f64 / 2.0;
        for &at in ties {
            ranks[at] = rank;
        }
        before += ties.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn associations_by_hand() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(pearson(&x, &[3.0, 5.0, 7.0, 9.0]), Some(1.0));
        assert_eq!(spearman(&x, &[1.0, 10.0, 100.0, 1000.0]), Some(1.0));
        assert_eq!(spearman(&x, &[4.0, 3.0, 2.0, 1.0]), Some(-1.0));
        assert_eq!(pearson(&x, &[2.0; 4]), None);
        assert_eq!(pearson(&[1.0], &[1.0]), None);
        // (−1.5 + 0.5·… ) by hand: covariance 1, spreads 5 and 1.
        let value = pearson(&x, &[0.0, 1.0, 0.0, 1.0]).unwrap();
        assert!((value - 1.0 / 5f64.sqrt()).abs() < 1e-15);
        assert_eq!(mid_ranks(&[5.0, 1.0, 5.0, 0.0]), [3.5, 2.0, 3.5, 1.0]);
    }

    #[test]
    fn separation_by_hand() {
        // Pairs (1, 2), (1, 3), (2, 2), (2, 3): won, won, tied, won.
        let values = [1.0, 2.0, 2.0, 3.0];
        let second = [false, false, true, true];
        assert_eq!(auroc(&values, &second), Some(3.5 / 4.0));
        assert_eq!(auroc(&values, &[true; 4]), None);
    }

    #[test]
    fn the_correlation_ratio_is_between_over_total() {
        assert_eq!(
            correlation_ratio(&[1.0, 1.0, 3.0, 3.0], &[0, 0, 2, 2]),
            Some(1.0)
        );
        // Group means 2 and 3 around 2.5: between 4·0.25, total 1 + … = 5.
        assert_eq!(
            correlation_ratio(&[1.0, 3.0, 2.0, 4.0], &[0, 0, 1, 1]),
            Some(1.0 / 5.0)
        );
        assert_eq!(correlation_ratio(&[1.0, 3.0], &[0, 0]), None);
        assert_eq!(correlation_ratio(&[1.0, 1.0], &[0, 1]), None);
    }
}
