//! Kendall's rank correlation.

use std::cmp::Ordering;

use crate::error::Result;
use crate::number::Real;
use crate::statistics::ranks::check_pairs;

/// Kendall's rank correlation τ-b: pairs in the same order minus pairs in opposite order, relative
/// to the geometric mean of the numbers of untied pairs of both sides.
///
/// ```text
/// τ_b = (C − D) / √((n₀ − n_a)(n₀ − n_b))      n₀ = n (n − 1) / 2
/// ```
///
/// `C` pairs are in the same order on both sides, `D` in opposite orders, `n_a` tied in `a` and
/// `n_b` tied in `b`. In [−1, 1]: 1 = the same order and the same ties, 0 = uncorrelated, −1 = reversed.
/// `None` if either side is constant, which includes fewer than two values. Takes `O(n log n)` and counts
/// pairs in integers.
///
/// # Errors
/// `ShapeMismatch` if the lengths differ, `NonFinite` for a value that is not finite.
///
/// ```
/// use xai_core::statistics::kendall;
/// assert_eq!(kendall(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0])?, Some(1.0 / 3.0)); // (2 − 1) / 3
/// assert_eq!(kendall(&[1.0, 1.0, 2.0], &[1.0, 2.0, 2.0])?, Some(0.5)); // 1 / √(2 · 2)
/// assert_eq!(kendall(&[1.0, 1.0], &[1.0, 2.0])?, None);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Kendall, *The treatment of ties in ranking problems*, 1945; Knight, *A computer method for
/// calculating Kendall's tau with ungrouped data*, 1966.
pub fn kendall<T: Real>(a: &[T], b: &[T]) -> Result<Option<f64>> {
    check_pairs(a, b)?;
    Ok(kendall_finite(a, b))
}

/// Numbers of pairs of positions by their order in two sequences of equal length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairOrders {
    /// All pairs, `n (n − 1) / 2`.
    pub all: u64,
    /// Pairs tied in the first sequence.
    pub tied_in_a: u64,
    /// Pairs tied in the second sequence.
    pub tied_in_b: u64,
    /// Pairs tied in both sequences.
    pub tied_in_both: u64,
    /// Pairs in opposite orders, tied in neither sequence.
    pub discordant: u64,
}

impl PairOrders {
    /// Counts the pairs of two sequences of finite values and equal length in `O(n log n)`, by Knight's algorithm.
    ///
    /// ```
    /// use xai_core::statistics::PairOrders;
    /// let orders = PairOrders::from_finite(&[1.0, 2.0, 2.0], &[1.0, 3.0, 3.0]);
    /// assert_eq!((orders.all, orders.concordant(), orders.tied_in_both), (3, 2, 1));
    /// ```
    #[must_use]
    pub fn from_finite<T: Real>(a: &[T], b: &[T]) -> Self {
        let mut pairs: Vec<(T, T)> = a.iter().copied().zip(b.iter().copied()).collect();
        // `partial_cmp` treats −0.0 and 0.0 as a tie; `total_cmp` would not.
        let order = |x: &T, y: &T| x.partial_cmp(y).unwrap_or(Ordering::Equal);
        pairs.sort_unstable_by(|x, y| order(&x.0, &y.0).then(order(&x.1, &y.1)));
        let tied_in_a = tied(&pairs, |x, y| x.0 == y.0);
        let tied_in_both = tied(&pairs, |x, y| x == y);
        let mut values: Vec<T> = pairs.into_iter().map(|pair| pair.1).collect();
        // With pairs sorted by `a`, then `b`, the discordant pairs are the inversions of `b`.
        let mut buffer = values.clone();
        let discordant = sort_counting(&mut values, &mut buffer);
        let n = a.len() as u64;
        Self {
            all: n * n.saturating_sub(1) / 2,
            tied_in_a,
            tied_in_b: tied(&values, |x, y| x == y),
            tied_in_both,
            discordant,
        }
    }

    /// Pairs in the same order, tied in neither sequence.
    #[must_use]
    pub fn concordant(&self) -> u64 {
        // Inclusion and exclusion: pairs tied in both are subtracted twice.
        self.all + self.tied_in_both - self.tied_in_a - self.tied_in_b - self.discordant
    }
}

/// [`kendall`] for finite values of equal length.
#[must_use]
pub(crate) fn kendall_finite<T: Real>(a: &[T], b: &[T]) -> Option<f64> {
    let orders = PairOrders::from_finite(a, b);
    if orders.all == orders.tied_in_a || orders.all == orders.tied_in_b {
        return None;
    }
    let difference = orders.concordant() as f64 - orders.discordant as f64;
    let (in_a, in_b) = (orders.all - orders.tied_in_a, orders.all - orders.tied_in_b);
    let product = in_a as f64 * in_b as f64;
    Some((difference / product.sqrt()).clamp(-1.0, 1.0))
}

/// Number of pairs of elements that `equal` holds for, in a slice in which such elements are adjacent.
fn tied<V>(sorted: &[V], equal: impl Fn(&V, &V) -> bool) -> u64 {
    let runs = sorted.chunk_by(equal).map(|run| run.len() as u64);
    runs.map(|n| n * (n - 1) / 2).sum()
}

/// Merge sort that returns the number of pairs in descending order (inversions). `buffer` has the
/// length of `values` and is overwritten.
fn sort_counting<T: Real>(values: &mut [T], buffer: &mut [T]) -> u64 {
    let n = values.len();
    if n < 2 {
        return 0;
    }
    let (left, right) = values.split_at_mut(n / 2);
    let (left_buffer, right_buffer) = buffer.split_at_mut(n / 2);
    let mut inversions = sort_counting(left, left_buffer) + sort_counting(right, right_buffer);
    let (mut i, mut j) = (0, 0);
    for to in buffer.iter_mut() {
        let take_left = j == right.len() || (i < left.len() && left[i] <= right[j]);
        *to = if take_left {
            i += 1;
            left[i - 1]
        } else {
            // All remaining elements of the left half are greater.
            inversions += (left.len() - i) as u64;
            j += 1;
            right[j - 1]
        };
    }
    values.copy_from_slice(buffer);
    inversions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn kendall_equals_the_definition_over_all_pairs(pairs in prop::collection::vec((-4i8..4, -4i8..4), 0..40)) {
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).unzip();
            let (mut difference, mut in_a, mut in_b) = (0.0, 0.0, 0.0);
            for i in 0..a.len() {
                for j in 0..i {
                    let (x, y) = ((a[i] - a[j]).signum() * f64::from(u8::from(a[i] != a[j])), (b[i] - b[j]).signum() * f64::from(u8::from(b[i] != b[j])));
                    difference += x * y;
                    in_a += x.abs();
                    in_b += y.abs();
                }
            }
            let expected = (in_a > 0.0 && in_b > 0.0).then(|| difference / (in_a * in_b).sqrt());
            match (kendall(&a, &b).unwrap(), expected) {
                (Some(ours), Some(expected)) => prop_assert!((ours - expected).abs() < 1e-15),
                (ours, expected) => prop_assert_eq!(ours, expected),
            }
        }
    }
}
