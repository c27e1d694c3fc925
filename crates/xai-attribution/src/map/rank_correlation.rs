//! Spearman's rank correlation.

use xai_core::{Error, Real, Result, check_finite_slice};

/// How alike two rankings are: Pearson's correlation of the mid-ranks.
///
/// In [−1, 1]: 1 = the same order, 0 = unrelated, −1 = reversed. `None` where either side is
/// constant (an order needs two different values).
///
/// # Errors
/// [`Error::ShapeMismatch`] when the lengths differ, [`Error::NonFinite`].
///
/// ```
/// use xai_attribution::map::spearman;
/// assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 20.0, 90.0])?, Some(1.0));
/// assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0])?, Some(-1.0));
/// assert_eq!(spearman(&[1.0, 1.0, 2.0], &[1.0, 2.0, 2.0])?, Some(0.5));
/// assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0])?, None);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Spearman, *The proof and measurement of association between two things*, 1904.
pub fn spearman<T: Real>(a: &[T], b: &[T]) -> Result<Option<f64>> {
    if a.len() != b.len() {
        return Err(Error::shape(crate::input::SECOND, &[a.len()], &[b.len()]));
    }
    check_finite_slice(crate::input::FIRST, a)?;
    check_finite_slice(crate::input::SECOND, b)?;
    Ok(spearman_of_finite(a, b))
}

/// [`spearman`] of finite values of one length.
pub(crate) fn spearman_of_finite<T: Real>(a: &[T], b: &[T]) -> Option<f64> {
    correlation_of_ranks(&centred_ranks(a), &centred_ranks(b))
}

/// Pearson's correlation of ranks that are centred. They are integers, and so are their products:
/// no sum rounds before 2^53.
pub(crate) fn correlation_of_ranks(a: &[f64], b: &[f64]) -> Option<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let (aa, bb) = (dot(a, a), dot(b, b));
    (aa > 0.0 && bb > 0.0).then(|| (dot(a, b) / (aa * bb).sqrt()).clamp(-1.0, 1.0))
}

/// Twice the mid-ranks `1..=n`, less their mean: integers that sum to 0.
#[allow(clippy::cast_precision_loss)] // exact below 2^52 values
pub(crate) fn centred_ranks<T: Real>(values: &[T]) -> Vec<f64> {
    let n = values.len();
    let mut order: Vec<usize> = (0..n).collect();
    // −0.0 and 0.0 are a tie, as `partial_cmp` has it.
    order.sort_unstable_by(|&i, &j| {
        values[i]
            .partial_cmp(&values[j])
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut ranks = vec![0.0; n];
    let mut start = 0;
    while start < n {
        let value = values[order[start]];
        let mut end = start + 1;
        while end < n && values[order[end]] == value {
            end += 1;
        }
        // Twice the mean of start + 1 ..= end is start + end + 1; twice the mean rank is n + 1.
        let rank = (start + end) as f64 - n as f64;
        for &i in &order[start..end] {
            ranks[i] = rank;
        }
        start = end;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_increasing_function_changes_nothing(a in prop::collection::vec(-5i8..5, 2..40), by in 0.1..9.0f64) {
            let a: Vec<f64> = a.into_iter().map(f64::from).collect();
            let stretched: Vec<f64> = a.iter().map(|x| x.powi(3) * by + 1.0).collect();
            let reversed: Vec<f64> = a.iter().map(|x| -x).collect();
            if let Some(rho) = spearman(&a, &stretched).unwrap() {
                prop_assert_eq!(rho, 1.0);
                prop_assert_eq!(spearman(&a, &reversed).unwrap(), Some(-1.0));
            }
        }

        #[test]
        fn the_two_sides_may_be_exchanged(
            (a, b) in (2usize..30).prop_flat_map(|n| (
                prop::collection::vec(-3i8..3, n), prop::collection::vec(-3i8..3, n)
            ))
        ) {
            let real = |v: Vec<i8>| v.into_iter().map(f64::from).collect::<Vec<_>>();
            let (a, b) = (real(a), real(b));
            prop_assert_eq!(spearman(&a, &b).unwrap(), spearman(&b, &a).unwrap());
        }
    }
}
