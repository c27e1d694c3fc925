//! Sorting keys by their bits, from the lowest digit up, on all threads.
//!
//! Five million random single-precision scores in three passes of 11 bits. A comparison sort takes
//! n log n unpredictable branches, which is most of the time of a ranking metric; here every pass
//! is one read and one scattered write of each key. The order of keys is all there is to see, so the
//! result depends neither on the threads nor on the pieces.

use xai_core::parallel;

/// Bits of a digit: 2048 places to write to stay within reach of the second-level cache.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
/// Below this many keys the counting costs more than it saves.
const FEW: usize = 1 << 14;

/// An unsigned integer.
pub(crate) trait Key: Copy + Ord + Default + Send + Sync {
    const BITS: u32;

    /// The digit that begins at bit `shift`.
    fn digit(self, shift: u32) -> usize;
}

impl Key for u32 {
    const BITS: u32 = u32::BITS;

    #[inline]
    fn digit(self, shift: u32) -> usize {
        (self >> shift) as usize % DIGITS
    }
}

impl Key for u64 {
    const BITS: u32 = u64::BITS;

    #[inline]
    fn digit(self, shift: u32) -> usize {
        #[allow(clippy::cast_possible_truncation)] // only the low bits count
        let low = (self >> shift) as usize;
        low % DIGITS
    }
}

/// Sorts ascending, with a buffer of the same size beside.
pub(crate) fn sort<K: Key>(keys: &mut Vec<K>) {
    if keys.len() < FEW {
        keys.sort_unstable();
        return;
    }
    let mut other = vec![K::default(); keys.len()];
    for shift in (0..K::BITS).step_by(DIGIT_BITS as usize) {
        if distribute(keys, &mut other, shift) {
            std::mem::swap(keys, &mut other);
        }
    }
}

/// Copies `from` to `to`, ordered by one digit and otherwise as it was. Does nothing, and says so,
/// when all keys share the digit.
fn distribute<K: Key>(from: &[K], to: &mut [K], shift: u32) -> bool {
    let piece = from.len().div_ceil(parallel::threads());
    let pieces: Vec<&[K]> = from.chunks(piece).collect();
    let counts = parallel::map(pieces.len(), |p| {
        let mut counts = vec![0usize; DIGITS];
        for key in pieces[p] {
            counts[key.digit(shift)] += 1;
        }
        counts
    });
    let shared = from[0].digit(shift);
    if counts.iter().map(|counts| counts[shared]).sum::<usize>() == from.len() {
        return false;
    }
    // Each piece gets its own stretch of the output for each digit.
    let mut places: Vec<Vec<_>> = (0..pieces.len())
        .map(|_| Vec::with_capacity(DIGITS))
        .collect();
    let mut rest = to;
    for digit in 0..DIGITS {
        for (places, counts) in places.iter_mut().zip(&counts) {
            let (stretch, after) = rest.split_at_mut(counts[digit]);
            places.push(stretch.iter_mut());
            rest = after;
        }
    }
    parallel::map_owned(places, |p, mut places| {
        for &key in pieces[p] {
            // The stretches were counted, so there is a place for every key.
            if let Some(place) = places[key.digit(shift)].next() {
                *place = key;
            }
        }
    });
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    #[test]
    fn keys_come_out_in_order() {
        for n in [0, 1, FEW - 1, FEW, 100_000] {
            for mask in [u64::MAX, 0xffff_0000, 0x7ff, 0, 1 << 63 | 1] {
                let mut stream = xai_core::random_stream(n as u64, mask);
                let mut keys: Vec<u64> = (0..n).map(|_| stream.next_u64() & mask).collect();
                let mut narrow: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
                let (mut expected, mut expected_narrow) = (keys.clone(), narrow.clone());
                expected.sort_unstable();
                expected_narrow.sort_unstable();
                sort(&mut keys);
                sort(&mut narrow);
                assert!(keys == expected && narrow == expected_narrow);
            }
        }
    }
}
