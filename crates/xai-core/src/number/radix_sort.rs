//! Sorting by order keys, with a radix sort or by comparison.
//!
//! A comparison sort takes n log n unpredictable branches; the radix sort reads each item twice and
//! writes it once per digit of 11 bits. Times for five million keys on one thread, the fastest of 25
//! runs, in milliseconds (`par_sort_unstable` is rayon's):
//!
//! | keys | radix | `sort_unstable` | `par_sort_unstable` |
//! |---|---|---|---|
//! | random `f32` (3 digits) | 76 | 101 | 131 |
//! | random `f64` (6 digits) | 237 | 115 | 181 |
//! | `f32` of 10 distinct scores | 51 | 17 | 20 |
//! | `f64` of 10 distinct scores | 103 | 18 | 29 |
//!
//! Therefore keys of 32 bits are radix-sorted, because scores of models are seldom tied, and keys
//! of 64 bits are compared. Both give the same order for any number of threads and pieces.

use crate::number::real::OrderKey;
use crate::parallel;

/// Bits per digit. The 2048 write positions that a pass alternates between stay in the second-level
/// cache.
const DIGIT_BITS: u32 = 11;
/// Number of values of a digit.
const DIGITS: usize = 1 << DIGIT_BITS;
/// Smallest number of items per piece; only the last piece can be smaller. There are at most as many pieces as threads.
const PIECE: usize = 1 << 13;
/// Number of items from which on the radix sort is faster than comparisons for keys with indices.
///
/// On two cores, the fastest of 200 runs of `benches/core.rs` on random numbers, in microseconds:
///
/// | items | keys: radix | keys: `sort_unstable` | with indices: radix | with indices: `sort_unstable` |
/// |---|---|---|---|---|
/// | 1 024 | 7.3 | 7.3 | 8.7 | 7.3 |
/// | 2 048 | 13.9 | 17.0 | 14.5 | 17.4 |
/// | 8 192 | 49 | 79 | 67 | 79 |
/// | 65 536 | 684 | 1 430 | 681 | 959 |
const FEW: usize = 1 << 11;
/// Number of items from which on keys without indices are radix-sorted. It is larger than [`FEW`],
/// because comparison sorts of many equal keys are fast: 10 000 keys of ten distinct scores are sorted
/// in little more than half the time of the radix sort. For random keys the radix sort is faster from
/// 2 048 items on already (see the table).
const FEW_ALONE: usize = 1 << 14;

/// Sorts keys ascending. From 16 384 keys of 32 bits on, this needs a buffer of the same size.
///
/// ```
/// use xai_core::{Real, number::sort_keys};
/// let mut keys: Vec<u32> = [0.5f32, -1.0, 3.0].iter().map(|x| x.order_key()).collect();
/// sort_keys(&mut keys);
/// assert!(keys.into_iter().map(f32::from_order_key).eq([-1.0, 0.5, 3.0]));
/// ```
pub fn sort_keys<K: OrderKey>(keys: &mut Vec<K>) {
    if K::BITS <= u32::BITS && keys.len() >= FEW_ALONE {
        sort_by_digits(keys, |key: K| key);
    } else {
        keys.sort_unstable();
    }
}

/// Sorts keys with indices by key, and equal keys by index. The indices must ascend in the input. From
/// 2 048 keys of 32 bits on, this needs a buffer of the same size.
///
/// ```
/// use xai_core::{Real, number::{OrderKey, sort_indexed}};
/// let values = [0.5f32, -1.0, 0.5, 3.0];
/// let mut keys: Vec<u64> = (0..).zip(&values).map(|(i, x)| x.order_key().with_index(i)).collect();
/// sort_indexed::<u32>(&mut keys);
/// assert!(keys.into_iter().map(u32::index).eq([1, 0, 2, 3]));
/// ```
pub fn sort_indexed<K: OrderKey>(keys: &mut Vec<K::WithIndex>) {
    if K::BITS <= u32::BITS && keys.len() >= FEW {
        sort_by_digits(keys, K::key);
    } else {
        keys.sort_unstable();
    }
}

/// Stable radix sort of items by their keys, from the lowest digit to the highest, with a buffer of
/// the same size.
fn sort_by_digits<T, K>(items: &mut Vec<T>, key: impl Fn(T) -> K + Copy + Sync + Send)
where
    T: Copy + Default + Send + Sync,
    K: OrderKey,
{
    let mut other = vec![T::default(); items.len()];
    for shift in (0..K::BITS).step_by(DIGIT_BITS as usize) {
        let digit = move |item: T| key(item).bits_from(shift) % DIGITS;
        if distribute(items, &mut other, digit) {
            std::mem::swap(items, &mut other);
        }
    }
}

/// Copies `from` to `to`, stably sorted by one digit. Copies nothing and returns `false` if all
/// items have the same digit.
fn distribute<T: Copy + Send + Sync>(
    from: &[T],
    to: &mut [T],
    digit: impl Fn(T) -> usize + Copy + Sync + Send,
) -> bool {
    let Some(&first) = from.first() else {
        return false;
    };
    let piece = from.len().div_ceil(parallel::threads()).max(PIECE);
    let pieces: Vec<&[T]> = from.chunks(piece).collect();
    let count = move |piece: &[T]| {
        let mut counts = vec![0usize; DIGITS];
        piece.iter().for_each(|&item| counts[digit(item)] += 1);
        counts
    };
    // A single piece is counted on this thread, which saves waiting for one of the pool.
    let mut counts = match pieces[..] {
        [piece] => vec![count(piece)],
        _ => parallel::map(pieces.len(), |p| count(pieces[p])),
    };
    // Upper digits of scores in a narrow range are often all equal; then the pass would only copy.
    let shared = digit(first);
    if counts.iter().map(|counts| counts[shared]).sum::<usize>() == from.len() {
        return false;
    }
    match &mut counts[..] {
        [counts] => scatter_sequentially(from, to, counts, digit),
        counts => {
            parallel::map_owned(output_slices(to, counts), move |p, mut slots| {
                for &item in pieces[p] {
                    // Each slice has as many slots as items were counted, so `next` always returns one.
                    if let Some(slot) = slots[digit(item)].next() {
                        *slot = item;
                    }
                }
            });
        }
    }
    true
}

/// Copies all items to their sorted positions, given the number of items per digit in `counts`, which is overwritten.
fn scatter_sequentially<T: Copy>(
    from: &[T],
    to: &mut [T],
    counts: &mut [usize],
    digit: impl Fn(T) -> usize,
) {
    // Turns the counts into the first position of each digit.
    let mut next = 0;
    for count in &mut *counts {
        next += std::mem::replace(count, next);
    }
    let next_position = counts;
    for &item in from {
        let position = &mut next_position[digit(item)];
        to[*position] = item;
        *position += 1;
    }
}

/// Splits the output into one slice per digit and piece, in this order, each as long as the piece counted.
///
/// The result is indexed by piece, then digit. Disjoint slices let threads write without synchronisation, and
/// their order makes the sort stable.
fn output_slices<'a, T>(
    mut to: &'a mut [T],
    counts: &[Vec<usize>],
) -> Vec<Vec<std::slice::IterMut<'a, T>>> {
    let mut slices: Vec<Vec<_>> = counts.iter().map(|_| Vec::with_capacity(DIGITS)).collect();
    for digit in 0..DIGITS {
        for (slices, counts) in slices.iter_mut().zip(counts) {
            let (slice, after) = to.split_at_mut(counts[digit]);
            slices.push(slice.iter_mut());
            to = after;
        }
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random_stream;

    #[test]
    fn radix_sort_equals_comparison_sort() {
        for n in [0, 1, FEW - 1, FEW, FEW_ALONE, 5 * PIECE + 1, 100_000] {
            for mask in [u64::MAX, 0xffff_0000, 0x7ff, 0, 1 << 63 | 1] {
                let mut stream = random_stream(n as u64, mask);
                let mut keys: Vec<u64> = (0..n).map(|_| stream.next_u64() & mask).collect();
                let mut narrow: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
                let indexed = narrow.iter().zip(0..);
                let mut indexed: Vec<u64> = indexed.map(|(key, i)| key.with_index(i)).collect();
                let expected = (sorted(&keys), sorted(&narrow), sorted(&indexed));
                sort_keys(&mut keys);
                sort_keys(&mut narrow);
                sort_indexed::<u32>(&mut indexed);
                assert!((keys, narrow, indexed) == expected, "{n} {mask:x}");
            }
        }
    }

    fn sorted<T: Ord + Copy>(items: &[T]) -> Vec<T> {
        let mut items = items.to_vec();
        items.sort_unstable();
        items
    }
}
