//! The largest values of a row, without sorting it.

use std::cmp::Reverse;

use xai_core::Real;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};

/// The places of the `k` largest of finite values, the largest first, of equal ones the lower place; all where there are fewer.
pub(super) fn top<T: Real>(values: &[T], k: usize) -> Vec<u32> {
    let k = k.min(values.len());
    if k == 0 {
        return Vec::new();
    }
    InstructionSet::fastest().run(Scan { values, k })
}

/// What finds the top of a row.
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
            // No early end, so that it is done by vectors; few blocks have a candidate.
            let is_above = |any, &value: &T| any | (value > largest.limit);
            if block.iter().fold(false, is_above) {
                largest.offer(start, block);
            }
        }
        largest.finish()
    }
}

/// How many of the `k` largest of finite values are at places of a kind; of equal ones the lower place is larger.
pub(super) fn count_in_top(values: &[f64], k: usize, is_of_kind: impl Fn(usize) -> bool) -> usize {
    if k == 0 {
        return 0;
    }
    let k = k.min(values.len());
    let limit = kth_largest(values, k);
    let above = values.iter().filter(|&&value| value > limit).count();
    let mut equal_left = k - above;
    let is_in_top = |of: &(usize, &f64)| {
        let value = *of.1;
        let is_equal = value == limit && equal_left > 0;
        equal_left -= usize::from(is_equal);
        value > limit || is_equal
    };
    let top = values.iter().enumerate().filter(is_in_top);
    top.filter(|(place, _)| is_of_kind(*place)).count()
}

/// The `k`-th largest of finite values, `k` at least 1 and at most their number.
fn kth_largest(values: &[f64], k: usize) -> f64 {
    let mut keys: Vec<u64> = values.iter().map(|value| value.order_key()).collect();
    let place = keys.len() - k;
    f64::from_order_key(*keys.select_nth_unstable(place).1)
}

/// How many values are before the largest of those at places of a kind, in descending order; of equal values the lower place is
/// first. `None` without a place of the kind.
pub(super) fn rank_of_best(values: &[f64], is_of_kind: impl Fn(usize) -> bool) -> Option<usize> {
    let of_kind = values
        .iter()
        .enumerate()
        .filter(|(place, _)| is_of_kind(*place));
    // The first of the largest.
    let (best, &largest) =
        of_kind.reduce(|best, other| if other.1 > best.1 { other } else { best })?;
    let equal = values[..best]
        .iter()
        .filter(|&&value| value == largest)
        .count();
    Some(values.iter().filter(|&&value| value > largest).count() + equal)
}

/// Values that are compared with the limit at once, by vectors.
const BLOCK: usize = 64;

/// A value that sorts before smaller ones and, where they are equal, before those of higher places.
type Candidate<T> = (Reverse<<T as Real>::Key>, u32);

/// The best of the values offered so far, and some that are no longer: those are left out when there are too many.
struct Candidates<T: Real> {
    k: usize,
    candidates: Vec<Candidate<T>>,
    /// Values up to this have no place any more: places ascend, so an equal one comes too late.
    limit: T,
}

impl<T: Real> Candidates<T> {
    fn new(k: usize) -> Self {
        Self {
            k,
            candidates: Vec::with_capacity(2 * k + BLOCK),
            limit: T::neg_infinity(),
        }
    }

    fn offer(&mut self, start: u32, block: &[T]) {
        for (place, &value) in (start..).zip(block) {
            if value > self.limit {
                self.candidates.push((Reverse(value.order_key()), place));
            }
        }
        if self.candidates.len() >= 2 * self.k {
            self.leave_out();
        }
    }

    /// Leaves out all but the best `k`.
    fn leave_out(&mut self) {
        let worst = *self.candidates.select_nth_unstable(self.k - 1).1;
        self.candidates.truncate(self.k);
        self.limit = T::from_order_key(worst.0.0);
    }

    fn finish(mut self) -> Vec<u32> {
        if self.candidates.len() > self.k {
            self.leave_out();
        }
        self.candidates.sort_unstable();
        self.candidates
            .into_iter()
            .map(|(_, place)| place)
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
            let of_kind = |place: usize| place % 3 == 1;
            let expected = order[..n].iter().filter(|&&place| of_kind(place as usize)).count();
            prop_assert_eq!(count_in_top(&values, k, of_kind), expected);
            let expected = order.iter().position(|&place| of_kind(place as usize));
            prop_assert_eq!(rank_of_best(&values, of_kind), expected);
        }
    }
}
