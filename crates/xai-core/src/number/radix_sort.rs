//! Sorting by order keys: by their bits from the lowest digit up, or by comparison.
//!
//! A comparison sort takes n log n unpredictable branches; the radix sort reads and writes each item
//! once per digit of 11 bits. Five million keys on one thread, the fastest of 25 runs, in
//! milliseconds (`par_sort_unstable` is rayon's):
//!
//! | keys | radix | `sort_unstable` | `par_sort_unstable` |
//! |---|---|---|---|
//! | random `f32` (3 digits) | 76 | 101 | 131 |
//! | random `f64` (6 digits) | 237 | 115 | 181 |
//! | `f32` of 10 distinct scores | 51 | 17 | 20 |
//! | `f64` of 10 distinct scores | 103 | 18 | 29 |
//!
//! So keys of 32 bits go by their digits, as scores of models seldom tie, and keys of 64 bits by
//! comparison. The order of the items is all there is to see, so the result depends neither on the
//! threads nor on the pieces.

use crate::number::real::OrderKey;
use crate::parallel;

/// Bits of a digit: 2048 places to write to stay within reach of the second-level cache.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Items that are worth a thread.
const PIECE: usize = 1 << 13;
/// Below this many items the counting costs more than it saves. On two cores, the fastest of 200 runs of
/// `benches/core.rs` on random numbers, in microseconds:
///
/// | items | keys | `sort_unstable` | keys with places | `sort_unstable` |
/// |---|---|---|---|---|
/// | 1 024 | 7.3 | 7.3 | 8.7 | 7.3 |
/// | 2 048 | 13.9 | 17.0 | 14.5 | 17.4 |
/// | 8 192 | 49 | 79 | 67 | 79 |
/// | 65 536 | 684 | 1 430 | 681 | 959 |
const FEW: usize = 1 << 11;
/// The same of keys alone, which may be equal: 10 000 of ten distinct scores are compared in little more
/// than half the time, and random ones take 0.8 of it by digits.
const FEW_ALONE: usize = 1 << 14;

/// Sorts keys ascending, those of 32 bits with a buffer of the same size beside.
///
/// ```
/// use xai_core::number::{Real, sort_keys};
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

/// Sorts keys whose places ascend: by key, ties by place.
///
/// ```
/// use xai_core::number::{OrderKey, Real, sort_indexed};
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

/// Sorts items ascending by their keys, ties as they come, with a buffer of the same size beside.
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

/// Copies `from` to `to`, ordered by one digit and otherwise as it was. Does nothing, and says so,
/// when all items share the digit.
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
    // A single piece does not wait for a thread of the pool.
    let mut counts = match pieces[..] {
        [piece] => vec![count(piece)],
        _ => parallel::map(pieces.len(), |p| count(pieces[p])),
    };
    let shared = digit(first);
    if counts.iter().map(|counts| counts[shared]).sum::<usize>() == from.len() {
        return false;
    }
    match &mut counts[..] {
        [counts] => place_all(from, to, counts, digit),
        counts => {
            parallel::map_owned(stretches(to, counts), move |p, mut places| {
                for &item in pieces[p] {
                    // The stretches were counted, so there is a place for every item.
                    if let Some(place) = places[digit(item)].next() {
                        *place = item;
                    }
                }
            });
        }
    }
    true
}

/// Copies the items of a single piece to their places, from how many there are of each digit.
fn place_all<T: Copy>(from: &[T], to: &mut [T], counts: &mut [usize], digit: impl Fn(T) -> usize) {
    let mut next = 0;
    for place in &mut *counts {
        next += std::mem::replace(place, next);
    }
    for &item in from {
        let place = &mut counts[digit(item)];
        to[*place] = item;
        *place += 1;
    }
}

/// Where each piece writes the items of each digit: its own stretch of the output, as long as it
/// counted.
fn stretches<'a, T>(
    mut to: &'a mut [T],
    counts: &[Vec<usize>],
) -> Vec<Vec<std::slice::IterMut<'a, T>>> {
    let mut places: Vec<Vec<_>> = counts.iter().map(|_| Vec::with_capacity(DIGITS)).collect();
    for digit in 0..DIGITS {
        for (places, counts) in places.iter_mut().zip(counts) {
            let (stretch, after) = to.split_at_mut(counts[digit]);
            places.push(stretch.iter_mut());
            to = after;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random_stream;
    use rand_core::Rng;

    #[test]
    fn digits_sort_as_comparisons_do() {
        for n in [0, 1, FEW - 1, FEW, FEW_ALONE, 5 * PIECE + 1, 100_000] {
            for mask in [u64::MAX, 0xffff_0000, 0x7ff, 0, 1 << 63 | 1] {
                let mut stream = random_stream(n as u64, mask);
                let mut keys: Vec<u64> = (0..n).map(|_| stream.next_u64() & mask).collect();
                let mut narrow: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
                let places = narrow.iter().zip(0..);
                let mut places: Vec<u64> = places.map(|(key, i)| key.with_index(i)).collect();
                let expected = (sorted(&keys), sorted(&narrow), sorted(&places));
                sort_keys(&mut keys);
                sort_keys(&mut narrow);
                sort_indexed::<u32>(&mut places);
                assert!((keys, narrow, places) == expected, "{n} {mask:x}");
            }
        }
    }

    fn sorted<T: Ord + Copy>(items: &[T]) -> Vec<T> {
        let mut items = items.to_vec();
        items.sort_unstable();
        items
    }
}
