//! Exact sum that is small as long as its terms have ordinary magnitudes.

use crate::number::Real;
use crate::sum::exact_sum::ExactSum;

/// Negative exponent of the fixed-point unit, 2^-108. Doubles of magnitude 2^-56 or more are
/// multiples of it.
const UNIT: i32 = 108;
/// Offset between the biased exponent of a double and the position of its last bit in fixed-point
/// units.
const EXPONENT_OFFSET: u64 = 1075 - UNIT as u64;
/// Number of positions of the last bit. Terms below 2^8 have one of them, by which a 64-bit shift
/// is defined.
const POSITIONS: u64 = 64;
/// Fraction bits of a double: its significand without the implicit leading one.
const FRACTION: u64 = (1 << 52) - 1;
/// Limit of the upper word of the fixed-point part, which corresponds to a sum of 2^17. It leaves
/// room for further terms without an overflow check.
const UPPER_LIMIT: u64 = 1 << 61;

/// [`ExactSum`] for thousands of groups: 24 bytes if each term is 0 or has a magnitude in `[2^-56,
/// 2^8)`, with the same bits for any terms.
///
/// Other terms, and totals beyond 2^17, are moved to an [`ExactSum`] on the heap, which is
/// allocated when the first of them occurs.
///
/// ```
/// use xai_core::sum::CompactSum;
/// let mut sum = CompactSum::new();
/// for term in [1e100, 0.1, 0.2, -1e100] {
///     sum.add(term);
/// }
/// assert_eq!(sum.value(), 0.1 + 0.2);
/// ```
#[derive(Clone, Default)]
pub struct CompactSum {
    /// The two words of an `i128`. As one field it would be aligned to 16 bytes and enlarge the
    /// struct to 32.
    low: u64,
    high: i64,
    rest: Option<Box<ExactSum>>,
}

impl CompactSum {
    /// Creates an empty sum.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Restores a sum from its [`parts`](Self::parts).
    #[must_use]
    pub fn from_parts(fixed: i128, rest: Option<ExactSum>) -> Self {
        let mut sum = Self {
            rest: rest.map(Box::new),
            ..Self::default()
        };
        sum.set_fixed(fixed);
        sum
    }

    /// Fixed-point part in multiples of 2^-108, and the sum of the terms that do not fit there.
    #[must_use]
    pub fn parts(&self) -> (i128, Option<&ExactSum>) {
        (self.fixed(), self.rest.as_deref())
    }

    /// Adds one term, exactly.
    #[inline]
    pub fn add<T: Real>(&mut self, term: T) {
        let term = term.to_f64_exact();
        let bits = term.to_bits();
        let exponent = (bits >> 52) & 0x7ff;
        let position = exponent.wrapping_sub(EXPONENT_OFFSET);
        let is_zero = bits << 1 == 0;
        // One comparison finds terms that are too small, too large or not finite, because the
        // subtraction wraps around.
        if position >= POSITIONS && !is_zero {
            self.add_to_rest(term);
            return;
        }
        // A zero has no leading one. Handled without a branch, because zeros among values are not
        // predictable.
        let mantissa = (bits & FRACTION) | (u64::from(!is_zero) << 52);
        // The mask keeps the shift in range for a zero, whose position is not.
        let size = i128::from(mantissa) << (position & (POSITIONS - 1));
        let sign = i128::from(bits.cast_signed() >> 63);
        self.set_fixed(self.fixed() + ((size ^ sign) - sign));
    }

    /// Adds another sum, exactly.
    pub fn add_sum(&mut self, other: &Self) {
        self.set_fixed(self.fixed() + other.fixed());
        if let Some(rest) = &other.rest {
            self.rest_mut().add_sum(rest);
        }
    }

    /// Converts to an [`ExactSum`] with the same total.
    #[must_use]
    pub fn to_exact(&self) -> ExactSum {
        let mut sum = self.rest.as_deref().cloned().unwrap_or_default();
        add_fixed(&mut sum, self.fixed());
        sum
    }

    /// Sum, rounded once to the nearest `f64` (ties to even).
    #[must_use]
    pub fn value(&self) -> f64 {
        self.to_exact().value()
    }

    /// Sum divided by the number of terms, with one rounding for the sum and one for the division.
    /// It is finite even if the sum exceeds the range of `f64`.
    ///
    /// ```
    /// use xai_core::sum::CompactSum;
    /// let sum: CompactSum = [f64::MAX, f64::MAX].into_iter().collect();
    /// assert_eq!((sum.value(), sum.mean(2)), (f64::INFINITY, f64::MAX));
    /// ```
    #[must_use]
    pub fn mean(&self, n_terms: u64) -> f64 {
        self.to_exact().mean(n_terms)
    }

    /// Number of bytes on the heap.
    #[must_use]
    pub fn allocated(&self) -> usize {
        self.rest.as_ref().map_or(0, |_| size_of::<ExactSum>())
    }

    fn rest_mut(&mut self) -> &mut ExactSum {
        self.rest.get_or_insert_default()
    }

    // Out of line, so that `add` stays small enough to be inlined into the loops of its callers.
    #[cold]
    #[inline(never)]
    fn add_to_rest(&mut self, term: f64) {
        self.rest_mut().add(term);
    }

    #[inline]
    fn fixed(&self) -> i128 {
        i128::from(self.high) << 64 | i128::from(self.low)
    }

    /// Stores the fixed-point part, or moves it to the rest if it comes near the ends of its range.
    #[inline]
    fn set_fixed(&mut self, fixed: i128) {
        (self.low, self.high) = (fixed as u64, (fixed >> 64) as i64);
        if self.high.unsigned_abs() >= UPPER_LIMIT {
            self.move_to_rest();
        }
    }

    #[cold]
    #[inline(never)]
    fn move_to_rest(&mut self) {
        let fixed = self.fixed();
        (self.low, self.high) = (0, 0);
        add_fixed(self.rest_mut(), fixed);
    }
}

/// Adds a multiple of 2^-108 to an exact sum, in four pieces of 32 bits, each of which is exact as
/// a double.
fn add_fixed(sum: &mut ExactSum, fixed: i128) {
    for piece in 0..4 {
        let shifted = fixed >> (32 * piece);
        // The upper piece carries the sign.
        let digit = if piece == 3 {
            shifted
        } else {
            shifted & 0xffff_ffff
        };
        sum.add(digit as f64 * 2f64.powi(32 * piece - UNIT));
    }
}

impl std::fmt::Debug for CompactSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("CompactSum").field(&self.value()).finish()
    }
}

impl PartialEq for CompactSum {
    /// Two sums are equal if their exact totals are equal.
    fn eq(&self, other: &Self) -> bool {
        self.to_exact() == other.to_exact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_term() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            -1.0..1.0f64,
            -1e-15..1e-15f64,
            -300.0..300.0f64,
            Just(0.0),
            Just(-0.0),
            Just(1.0),
        ]
    }

    proptest! {
        #[test]
        fn it_has_the_bits_of_the_exact_sum(
            terms in prop::collection::vec(any_term(), 0..60), cut in 0usize..60
        ) {
            let cut = cut.min(terms.len());
            let exact: ExactSum = terms.iter().copied().collect();
            let mut sum: CompactSum = terms[cut..].iter().copied().collect();
            sum.add_sum(&terms[..cut].iter().copied().collect());
            prop_assert_eq!(sum.value().to_bits(), exact.value().to_bits());
            let (fixed, rest) = sum.parts();
            let again = CompactSum::from_parts(fixed, rest.cloned());
            prop_assert_eq!(again.value().to_bits(), exact.value().to_bits());
        }

        #[test]
        fn ordinary_terms_need_no_allocation(
            terms in prop::collection::vec(1e-16..200.0f64, 0..600)
        ) {
            let sum: CompactSum = terms.iter().copied().collect();
            prop_assert_eq!(sum.allocated(), 0);
        }
    }

    #[test]
    fn totals_beyond_the_fixed_point_part_are_exact() {
        for sign in [1.0, -1.0] {
            let sum: CompactSum = std::iter::repeat_n(sign * 255.5, 100_000).collect();
            assert_eq!(sum.value(), sign * 255.5 * 1e5);
        }
        let extremes = CompactSum::from_parts(i128::MIN, None);
        assert_eq!(extremes.value(), -(2f64.powi(19)));
    }

    #[test]
    fn a_term_and_its_negative_leave_nothing() {
        let mut sum = CompactSum::new();
        for term in [0.1, 1e-30, 0.7, -0.1, -1e-30, -0.7] {
            sum.add(term);
        }
        assert_eq!(sum.value().to_bits(), 0);
    }
}
