//! Selection of the largest values of a row without sorting it.

use std::cmp::Reverse;

use xai_core::Real;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};

/// Returns the positions of the `k` largest values, largest first, ties by lower position. All positions if there
/// are fewer values. The values must be finite.
pub(super) fn top<T: Real>(values: &[T], k: usize) -> Vec<u32> {
    let k = k.min(values.len());
    if k == 0 {
        return Vec::new();
    }
    InstructionSet::fastest().run(Scan { values, k })
}

/// Kernel of [`top`].
struct Scan<'a, T> {
    values: &'a [T],
    k: usize,
}

impl<T: Real> SimdKernel for Scan<'_, T> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<u32> {
        let mut largest = Candidates::new(self.k);
        for (start, block) in (0..).step_by(BLOCK).zip(self.values.chunks(BLOCK)) {
            // A first pass without early exit, which vectorises, finds the few blocks that have a candidate.
            let is_above = |any, &value: &T| any | (value > largest.limit);
            if block.iter().fold(false, is_above) {
                largest.offer(start, block);
            }
        }
        largest.finish()
    }
}

/// Counts the positions among the `k` largest values that satisfy `is_member`. Ties go to the lower position. The
/// values must be finite.
///
/// Takes time linear in the number of values for any `k`.
pub(super) fn count_in_top(values: &[f64], k: usize, is_member: impl Fn(usize) -> bool) -> usize {
    if k == 0 {
        return 0;
    }
    let k = k.min(values.len());
    let limit = kth_largest(values, k);
    let above = values.iter().filter(|&&value| value > limit).count();
    // Values equal to the limit are in the top in ascending position until it is full.
    let mut equal_left = k - above;
    let is_in_top = |&(_, &value): &(usize, &f64)| {
        let is_equal = value == limit && equal_left > 0;
        equal_left -= usize::from(is_equal);
        value > limit || is_equal
    };
    let top = values.iter().enumerate().filter(is_in_top);
    top.filter(|(position, _)| is_member(*position)).count()
}

/// The `k`-th largest of finite values, for `k` from 1 to their number.
fn kth_largest(values: &[f64], k: usize) -> f64 {
    // Integer keys in the order of the values, because floats have no `Ord`.
    let mut keys: Vec<u64> = values.iter().map(|value| value.order_key()).collect();
    let position = keys.len() - k;
    f64::from_order_key(*keys.select_nth_unstable(position).1)
}

/// Counts the values that come, in descending order, before the largest one whose position satisfies `is_member`. Ties
/// go to the lower position. `None` if no position does.
pub(super) fn count_before_best(
    values: &[f64],
    is_member: impl Fn(usize) -> bool,
) -> Option<usize> {
    let members = values
        .iter()
        .enumerate()
        .filter(|(position, _)| is_member(*position));
    // Strictly greater keeps the first of equal values.
    let (best, &largest) =
        members.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
    let equal = values[..best]
        .iter()
        .filter(|&&value| value == largest)
        .count();
    Some(values.iter().filter(|&&value| value > largest).count() + equal)
}

/// Number of values that are compared with the limit at the same time.
const BLOCK: usize = 64;

/// A value and its position. Sorts by descending value, then by ascending position.
type Candidate<T> = (Reverse<<T as Real>::Key>, u32);

/// The `k` largest of the values offered so far, and some smaller ones.
///
/// Smaller candidates are only removed when there are at least `2 k` after a block, by a selection in linear time. So a
/// value costs a constant number of operations on average, for any `k`.
struct Candidates<T: Real> {
    k: usize,
    candidates: Vec<Candidate<T>>,
    /// The `k`-th largest value at the last removal, −∞ before. Later values up to the limit are not among the `k`
    /// largest. This includes equal ones, because positions ascend and ties go to the lower position.
    limit: T,
}

impl<T: Real> Candidates<T> {
    fn new(k: usize) -> Self {
        Self {
            k,
            candidates: Vec::with_capacity(2 * k + BLOCK),
            limit: T::NEG_INFINITY,
        }
    }

    /// Adds the values of a block whose first position is `start`.
    fn offer(&mut self, start: u32, block: &[T]) {
        for (position, &value) in (start..).zip(block) {
            if value > self.limit {
                self.candidates.push((Reverse(value.order_key()), position));
            }
        }
        if self.candidates.len() >= 2 * self.k {
            self.prune();
        }
    }

    /// Removes all but the best `k`.
    fn prune(&mut self) {
        let worst = *self.candidates.select_nth_unstable(self.k - 1).1;
        self.candidates.truncate(self.k);
        self.limit = T::from_order_key(worst.0.0);
    }

    /// Positions of the `k` largest values, largest first.
    fn finish(mut self) -> Vec<u32> {
        if self.candidates.len() > self.k {
            self.prune();
        }
        self.candidates.sort_unstable();
        self.candidates
            .into_iter()
            .map(|(_, position)| position)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_top_are_the_first_of_a_stable_sort(
            values in prop::collection::vec((-9i8..9).prop_map(f64::from), 1..200), k in 0usize..210,
        ) {
            let mut order: Vec<u32> = (0..values.len() as u32).collect();
            order.sort_by(|&i, &j| values[j as usize].total_cmp(&values[i as usize]));
            let n = k.min(values.len());
            prop_assert_eq!(top(&values, k), &order[..n]);
            let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            prop_assert_eq!(top(&single, k), &order[..n]);
            let is_member = |position: usize| position % 3 == 1;
            let expected = order[..n].iter().filter(|&&position| is_member(position as usize)).count();
            prop_assert_eq!(count_in_top(&values, k, is_member), expected);
            let expected = order.iter().position(|&position| is_member(position as usize));
            prop_assert_eq!(count_before_best(&values, is_member), expected);
        }
    }
}
