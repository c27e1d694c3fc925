//! Exact sums in eight SIMD lanes, for terms of similar magnitude.
//!
//! Let σ be a power of two and `|x| ≤ 2^-7 σ`. Then `q = (σ + x) − σ` is a multiple of `2^-53 σ`
//! with `|q| ≤ 2^-7 σ`, and `x − q` is the rounding error of the addition; both are computed
//! exactly (Rump, Ogita and Oishi 2008, "Accurate floating-point summation I"). So the parts `q` of
//! up to 128 terms add up without rounding: every partial sum is a multiple of `2^-53 σ` and at
//! most σ.
//!
//! The remainder `x − q`, at most `2^-53 σ`, is split in the same way with `2^-46 σ` in place of σ.
//! After that nothing remains of a term whose last bit is at least `2^-99 σ`, which includes every
//! term that is 0 or at least `2^-39` times the largest. If something remains of any term, the
//! terms of its lane are added one by one to the [`ExactSum`](super::ExactSum).

use crate::simd::{Simd, SimdKernel};

/// One term for each of eight sums.
pub(super) type Lanes = [f64; 8];

/// Largest number of terms per lane in one call: `2^ROOM`.
pub(super) const TERMS: usize = 1 << ROOM;
/// Bits between the largest term and σ, so that `2^ROOM` terms add up to at most σ.
const ROOM: u64 = 7;

/// Kernel that sums up to [`TERMS`] terms in each lane.
pub(super) struct LaneSums<'a>(pub(super) &'a [Lanes]);

/// Two parts of the sum of each lane, and the data that show whether they are complete.
///
/// The kernel returns these data instead of flags: byte lanes among lanes of doubles make the
/// compiler split the registers of the whole loop, which takes three times as long.
pub(super) struct Parts {
    coarse: Lanes,
    fine: Lanes,
    /// Largest magnitude of a term, ignoring NaN.
    largest: Lanes,
    /// Bitwise OR of the remainders of all terms.
    left: [u64; 8],
}

/// Biased exponent below which σ and all partial sums are in the range of `f64`, with a margin.
const LARGEST_EXPONENT: u64 = 2000;

impl SimdKernel for LaneSums<'_> {
    type Output = Parts;

    #[inline(always)]
    fn run<S: Simd>(self) -> Parts {
        let mut largest = [0.0; 8];
        for terms in self.0 {
            for lane in 0..8 {
                // Compiles to one instruction per register; `f64::max` needs more, because it handles NaN.
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
            // For tiny terms a larger σ works as well, and keeps the exponent of the lower one positive.
            let exponent = exponent(largest[lane]).clamp(64, LARGEST_EXPONENT) + 1 + ROOM;
            upper[lane] = f64::from_bits(exponent << 52);
            lower[lane] = f64::from_bits((exponent + ROOM - 53) << 52);
        }
        let (mut coarse, mut fine, mut left) = ([0.0; 8], [0.0; 8], [0; 8]);
        for terms in self.0 {
            for lane in 0..8 {
                // Not simplified by the compiler, because floating-point addition is not associative.
                let cut = (upper[lane] + terms[lane]) - upper[lane];
                coarse[lane] += cut;
                let rest = terms[lane] - cut;
                let cut = (lower[lane] + rest) - lower[lane];
                fine[lane] += cut;
                // The remainder of a NaN is NaN, whose bits are not zero either.
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

/// Biased exponent of a non-negative number.
#[inline(always)]
fn exponent(size: f64) -> u64 {
    size.to_bits() >> 52
}

impl Parts {
    /// Passes the sum of one lane to `add`: its two parts if they are complete, otherwise its terms
    /// one by one.
    pub(super) fn add_up(&self, lane: usize, terms: &[Lanes], mut add: impl FnMut(f64)) {
        let is_in_range = exponent(self.largest[lane]) < LARGEST_EXPONENT;
        // The shift drops the sign bit: a remainder of −0 is no remainder.
        if is_in_range && self.left[lane] << 1 == 0 {
            add(self.coarse[lane]);
            add(self.fine[lane]);
        } else {
            terms.iter().for_each(|terms| add(terms[lane]));
        }
    }
}
