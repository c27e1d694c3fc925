//! Exact sums of many terms: eight at a time, in two doubles each, where their sizes are near each other.
//!
//! A term `x` of at most `2^-7 σ`, `σ` a power of two, is cut at the last place of `σ`: `q = (σ + x) − σ` is a
//! multiple of `2^-53 σ`, of at most `2^-7 σ` too, and `x − q` is what the addition rounded off; both are exact (Rump,
//! Ogita and Oishi 2008, "Accurate floating-point summation I"). So the `q` of up to 128 terms add up without
//! rounding: every partial sum is a multiple of `2^-53 σ` and at most `σ`. What is left of a term, at most `2^-53 σ`,
//! is cut in the same way by a `σ` that is `2^-46` times as large. Then nothing is left of a term whose last bit is
//! at least `2^-99` times the first `σ`: so of any that is 0 or at least `2^-39` times the largest. Where something
//! is left of a term, those of its lane are added one by one.

use crate::simd::{Simd, SimdKernel};

/// Terms of eight sums.
pub(super) type Lanes = [f64; 8];

/// Terms of a lane that are added at a time: `2^ROOM`.
pub(super) const TERMS: usize = 1 << ROOM;
const ROOM: u64 = 7;

/// The sums of up to [`TERMS`] terms in each lane.
pub(super) struct LaneSums<'a>(pub(super) &'a [Lanes]);

/// Two parts of the sum of each lane, and what tells whether they are all of it.
///
/// Of that the kernel makes no flags: with lanes of bytes among those of doubles the compiler splits the registers
/// of the whole loop, which takes three times as long.
pub(super) struct Parts {
    coarse: Lanes,
    fine: Lanes,
    /// The largest size of a term, but for NaN.
    largest: Lanes,
    /// The bits of what is left of terms, all together.
    left: [u64; 8],
}

/// The unit is a power of two in range for terms with smaller exponents.
const LARGEST_EXPONENT: u64 = 2000;

impl SimdKernel for LaneSums<'_> {
    type Output = Parts;

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // lanes index several arrays of one length
    fn run<S: Simd>(self) -> Parts {
        let mut largest = [0.0; 8];
        for terms in self.0 {
            for lane in 0..8 {
                let size = terms[lane].abs();
                largest[lane] = if size > largest[lane] {
                    size
                } else {
                    largest[lane]
                };
            }
        }
        let (mut upper, mut lower) = ([0.0; 8], [0.0; 8]);
        for lane in 0..8 {
            // Far below the range of exponents a larger unit does as well.
            let exponent = exponent(largest[lane]).clamp(64, LARGEST_EXPONENT) + 1 + ROOM;
            upper[lane] = f64::from_bits(exponent << 52);
            lower[lane] = f64::from_bits((exponent + ROOM - 53) << 52);
        }
        let (mut coarse, mut fine, mut left) = ([0.0; 8], [0.0; 8], [0; 8]);
        for terms in self.0 {
            for lane in 0..8 {
                let cut = (upper[lane] + terms[lane]) - upper[lane];
                coarse[lane] += cut;
                let rest = terms[lane] - cut;
                let cut = (lower[lane] + rest) - lower[lane];
                fine[lane] += cut;
                // Of a NaN, too, something is left.
                left[lane] |= (rest - cut).to_bits();
            }
        }
        Parts {
            coarse,
            fine,
            largest,
            left,
        }
    }
}

/// The biased exponent of a size.
#[inline(always)]
fn exponent(size: f64) -> u64 {
    size.to_bits() >> 52
}

impl Parts {
    /// Adds up one lane of these terms: by its parts, or one by one.
    pub(super) fn add_up(&self, lane: usize, terms: &[Lanes], mut add: impl FnMut(f64)) {
        let is_in_range = exponent(self.largest[lane]) < LARGEST_EXPONENT;
        if is_in_range && self.left[lane] << 1 == 0 {
            add(self.coarse[lane]);
            add(self.fine[lane]);
        } else {
            terms.iter().for_each(|terms| add(terms[lane]));
        }
    }
}
