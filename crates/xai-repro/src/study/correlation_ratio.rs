//! How much of a column of the study lies between groups.

use xai_core::ExactSum;

/// The share of the variance of values that lies between groups, η²; `None` where values are constant
/// or there are fewer than two groups.
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

#[cfg(test)]
mod tests {
    use super::*;

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
