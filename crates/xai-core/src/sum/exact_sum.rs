//! Exactly rounded sums, which do not depend on the order of their terms.
//!
//! Every finite double is a 53-bit integer times one of 2046 powers of two, so all doubles lie on
//! one fixed-point grid of about 2100 bits. The sum is kept on this grid as 67 signed 64-bit digits
//! of weight 2^32, whose upper halves overlap the next digit. Adding a term touches two digits and
//! never rounds; carries are propagated every 2000 terms. Only the conversion to `f64` rounds,
//! once, to the nearest value (ties to even). Therefore the result is the same for any number of
//! threads, any batches and any merge order. The layout follows the small superaccumulator of Neal
//! (arXiv 1505.05571).

use crate::number::Real;
use crate::simd::InstructionSet;
use crate::sum::lanes::{LaneSums, Lanes, TERMS};

/// Number of digits. Digit `i` has weight 2^(32 i − 1074); the last one carries the sign.
const DIGITS: usize = 67;
/// Number of terms between two carries. A term adds less than 2^52 + 2^32 to a digit, so after 2000
/// terms a digit is still below 2^63.
const TERMS_BETWEEN_CARRIES: u32 = 2000;
/// Fraction bits of a double: its significand without the implicit leading one.
const FRACTION: u64 = (1 << 52) - 1;
/// Below this number of terms, adding one by one is faster than the kernel for eight lanes.
const FEW: usize = 64;
/// Below this number of columns, adding term by term is faster: the kernel takes as long for one
/// column as for eight.
const NARROW: usize = 4;

/// Exactly rounded sum of any number of `f64`s: the same terms give the same bits in any order and
/// grouping, on any number of threads.
///
/// Infinities and NaN follow IEEE arithmetic (`∞ − ∞` is NaN). The result is infinite only if the
/// *total* exceeds the range of `f64`; partial sums may exceed it. An empty sum is `0.0`.
///
/// ```
/// use xai_core::ExactSum;
/// let sum: ExactSum = [1e100, 1.0, -1e100].into_iter().collect();
/// assert_eq!(sum.value(), 1.0); // a plain f64 loop gives 0.0
/// ```
#[derive(Clone)]
pub struct ExactSum {
    digits: [i64; DIGITS],
    terms_since_carry: u32,
    special: Special,
}

/// Non-finite terms added so far. They are tracked separately, because digits represent finite
/// values only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Special {
    nan: bool,
    positive_infinity: bool,
    negative_infinity: bool,
}

impl Special {
    fn value(self) -> Option<f64> {
        match (self.nan, self.positive_infinity, self.negative_infinity) {
            (false, false, false) => None,
            (false, true, false) => Some(f64::INFINITY),
            (false, false, true) => Some(f64::NEG_INFINITY),
            _ => Some(f64::NAN),
        }
    }
}

impl Default for ExactSum {
    fn default() -> Self {
        Self {
            digits: [0; DIGITS],
            terms_since_carry: 0,
            special: Special::default(),
        }
    }
}

impl ExactSum {
    /// Creates an empty sum.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one term, exactly.
    #[inline]
    pub fn add<T: Real>(&mut self, term: T) {
        let bits = term.to_f64_exact().to_bits();
        let exponent = (bits >> 52) & 0x7ff;
        if exponent == 0x7ff {
            self.add_special(f64::from_bits(bits));
            return;
        }
        // Subnormal numbers have the exponent of the smallest normal ones, but no leading one.
        let normal = u64::from(exponent != 0);
        let mantissa = (bits & FRACTION) | (normal << 52);
        // The term is `mantissa · 2^(position − 1074)`: its lowest bit is `shift` bits above the start
        // of `digit`.
        let position = exponent - normal;
        let digit = (position >> 5) as usize;
        let shift = position & 31;
        let low = ((mantissa << shift) & 0xffff_ffff).cast_signed();
        let high = (mantissa >> (32 - shift)).cast_signed();
        // `(x ^ −1) − (−1)` is −x and `(x ^ 0) − 0` is x: the sign is applied without a branch.
        let sign = bits.cast_signed() >> 63;
        self.digits[digit] += (low ^ sign) - sign;
        self.digits[digit + 1] += (high ^ sign) - sign;
        self.terms_since_carry += 1;
        if self.terms_since_carry == TERMS_BETWEEN_CARRIES {
            self.carry();
        }
    }

    #[cold]
    fn add_special(&mut self, term: f64) {
        if term.is_nan() {
            self.special.nan = true;
        } else if term > 0.0 {
            self.special.positive_infinity = true;
        } else {
            self.special.negative_infinity = true;
        }
    }

    /// Adds every term of a slice, exactly.
    pub fn add_slice<T: Real>(&mut self, terms: &[T]) {
        if terms.len() < FEW {
            return terms.iter().for_each(|&term| self.add(term));
        }
        let mut block = [[0.0; 8]; TERMS];
        for terms in terms.chunks(8 * TERMS) {
            for (to, &term) in block.as_flattened_mut().iter_mut().zip(terms) {
                *to = term.to_f64_exact();
            }
            self.add_block(&mut block, terms.len());
        }
    }

    /// Adds the first `n` terms of a block. Terms behind them may be overwritten with zeros.
    fn add_block(&mut self, block: &mut [Lanes; TERMS], n: usize) {
        let terms = block.as_flattened_mut();
        if n < FEW {
            terms[..n].iter().for_each(|&term| self.add(term));
            return;
        }
        // Whole lanes only: padding with zeros does not change the sum.
        let n_lanes = n.div_ceil(8);
        terms[n..8 * n_lanes].fill(0.0);
        let lanes = &block[..n_lanes];
        let parts = InstructionSet::fastest().run(LaneSums(lanes));
        for lane in 0..8 {
            parts.add_up(lane, lanes, |term| self.add(term));
        }
    }

    /// Adds `term(column, x)` for each element `x` of row-major `rows` to the sum of its column,
    /// exactly.
    ///
    /// ```
    /// use xai_core::ExactSum;
    /// let mut sums = [ExactSum::new(), ExactSum::new()];
    /// let rows = [1e100, 1.0, 1.0, 2.0, -1e100, 4.0]; // three of two columns
    /// ExactSum::add_rows(&mut sums, &rows, |_, x| x);
    /// assert_eq!(sums.map(|sum| sum.value()), [1.0, 7.0]);
    /// ```
    ///
    /// # Panics
    /// If the number of elements is not a multiple of the number of sums.
    pub fn add_rows(sums: &mut [Self], rows: &[f64], term: impl Fn(usize, f64) -> f64) {
        let n_columns = sums.len();
        if rows.is_empty() {
            return;
        }
        assert!(rows.len().is_multiple_of(n_columns), "whole rows");
        if n_columns < NARROW {
            for row in rows.chunks_exact(n_columns) {
                for (column, (sum, &x)) in sums.iter_mut().zip(row).enumerate() {
                    sum.add(term(column, x));
                }
            }
            return;
        }
        // Eight columns at a time, each in a lane of its own. Lanes beyond the last column keep the
        // values of the tile before; their sums are not read.
        let mut block = [[0.0; 8]; TERMS];
        for rows in rows.chunks(TERMS * n_columns) {
            let lanes = &mut block[..rows.len() / n_columns];
            for (tile, sums) in sums.chunks_mut(8).enumerate() {
                let (first, width) = (8 * tile, sums.len());
                for (lanes, row) in lanes.iter_mut().zip(rows.chunks_exact(n_columns)) {
                    let row = &row[first..first + width];
                    for (lane, (to, &x)) in lanes.iter_mut().zip(row).enumerate() {
                        *to = term(first + lane, x);
                    }
                }
                let parts = InstructionSet::fastest().run(LaneSums(lanes));
                for (lane, sum) in sums.iter_mut().enumerate() {
                    parts.add_up(lane, lanes, |term| sum.add(term));
                }
            }
        }
    }

    /// Adds another sum, exactly.
    pub fn add_sum(&mut self, other: &Self) {
        // Both are settled before: digits of up to 2^63 could overflow when added.
        self.carry();
        let other = other.canonical();
        for (digit, theirs) in self.digits.iter_mut().zip(other.digits) {
            *digit += theirs;
        }
        self.carry();
        self.special.nan |= other.special.nan;
        self.special.positive_infinity |= other.special.positive_infinity;
        self.special.negative_infinity |= other.special.negative_infinity;
    }

    /// Splits the sum into four doubles of descending magnitude, whose exact total represents it to
    /// 212 bits. Products of sums are computed from these parts.
    ///
    /// ```
    /// use xai_core::ExactSum;
    /// let sum: ExactSum = [1.0, 1e-30].into_iter().collect();
    /// assert_eq!(sum.parts(), [1.0, 1e-30, 0.0, 0.0]);
    /// ```
    #[must_use]
    pub fn parts(&self) -> [f64; 4] {
        // Each part is the remainder rounded to 53 bits, which is subtracted exactly.
        let mut rest = self.clone();
        [(); 4].map(|()| {
            let part = rest.value();
            rest.add(-part);
            part
        })
    }

    /// Sum, rounded once to the nearest `f64` (ties to even).
    #[must_use]
    pub fn value(&self) -> f64 {
        self.in_units_of(0)
    }

    /// Sum divided by the number of terms, with one rounding for the sum and one for the division.
    /// It is finite even if the sum exceeds the range of `f64`.
    pub(crate) fn mean(&self, n_terms: u64) -> f64 {
        self.mean_in_units_of(n_terms, 0)
    }

    /// [`mean`](Self::mean) in units of `2^exponent`, that is, multiplied by `2^-exponent`.
    pub(crate) fn mean_in_units_of(&self, n_terms: u64, exponent: i32) -> f64 {
        let n = n_terms as f64;
        match self.value() {
            // Without its two lowest digits, which are negligible here, the sum is 2^64 times
            // smaller. Then it is finite, because a count has at most 64 bits.
            sum if sum.is_infinite() => self.in_units_of(2) / n * 2f64.powi(64 - exponent),
            // Scaled before the division: a quotient in the subnormal range would lose digits.
            sum => sum * 2f64.powi(-exponent) / n,
        }
    }

    /// Sum divided by `2^(32 digit)`, rounded to the nearest `f64` after dropping the lowest
    /// `digit` digits.
    fn in_units_of(&self, digit: usize) -> f64 {
        if let Some(special) = self.special.value() {
            return special;
        }
        let mut magnitude = self.canonical();
        let is_negative = magnitude.digits[DIGITS - 1] < 0;
        if is_negative {
            magnitude = -magnitude;
        }
        magnitude.digits.copy_within(digit.., 0);
        magnitude.digits[DIGITS - digit..].fill(0);
        let value = round_to_nearest(&magnitude.digits);
        if is_negative { -value } else { value }
    }

    /// Propagates carries: all digits but the last become non-negative and less than 2^32, which is
    /// a unique representation of the value.
    fn carry(&mut self) {
        for i in 0..DIGITS - 1 {
            // The arithmetic shift rounds down, so a negative digit borrows from the next one.
            let carry = self.digits[i] >> 32;
            self.digits[i] -= carry << 32;
            self.digits[i + 1] += carry;
        }
        self.terms_since_carry = 0;
    }

    /// Copy with propagated carries.
    fn canonical(&self) -> Self {
        let mut copy = self.clone();
        copy.carry();
        copy
    }
}

/// Nearest `f64` to a non-negative number given by digits without pending carries (ties to even).
fn round_to_nearest(digits: &[i64; DIGITS]) -> f64 {
    let Some(top) = digits.iter().rposition(|&digit| digit != 0) else {
        return 0.0;
    };
    if top == DIGITS - 1 {
        return f64::INFINITY; // the last digit has weight 2^1038
    }
    let digit = |back: usize| -> u128 {
        top.checked_sub(back)
            .map_or(0, |i| u128::from(digits[i].cast_unsigned()))
    };
    // The three leading digits contain at least 65 significant bits, more than the 53 of the result
    // and a guard bit. Lower digits only decide ties, for which it is enough to know whether one of
    // them is non-zero.
    let window = digit(0) << 64 | digit(1) << 32 | digit(2);
    let below_is_nonzero = digits[..top.saturating_sub(2)].iter().any(|&d| d != 0);
    let n_bits = 128 - i64::from(window.leading_zeros());
    // Position of the lowest bit of the window, counted from 2^-1074. If negative, the bits below
    // 2^-1074 are zero.
    let base = 32 * (top as i64 - 2);
    let mut leading = base + n_bits - 1;
    if leading < 52 {
        // Subnormal: the last bit of the result is that of the grid, so nothing is rounded.
        return f64::from_bits((window >> -base) as u64);
    }
    let dropped = n_bits - 53;
    let mut mantissa = (window >> dropped) as u64;
    let rest = window & ((1 << dropped) - 1);
    let half = 1 << (dropped - 1);
    if rest > half || (rest == half && (below_is_nonzero || mantissa & 1 == 1)) {
        mantissa += 1;
        // Rounding up 1.11…1 gives 10.00…0, which is normalised again.
        if mantissa == 1 << 53 {
            mantissa >>= 1;
            leading += 1;
        }
    }
    let exponent = leading - 51;
    if exponent >= 0x7ff {
        return f64::INFINITY;
    }
    f64::from_bits((exponent.cast_unsigned() << 52) | (mantissa & FRACTION))
}

impl<T: Real> Extend<T> for ExactSum {
    /// Adds all terms, exactly. Long sequences are added in blocks of 1024 terms.
    fn extend<I: IntoIterator<Item = T>>(&mut self, terms: I) {
        // Short sequences do not pay for the block of 8 KiB on the stack. `fuse`: the iterator is
        // polled again after its end.
        let mut terms = terms.into_iter().fuse();
        terms.by_ref().take(FEW).for_each(|term| self.add(term));
        let Some(next) = terms.next() else { return };
        self.add(next);
        let mut block = [[0.0; 8]; TERMS];
        loop {
            let mut n = 0;
            for (to, term) in block.as_flattened_mut().iter_mut().zip(terms.by_ref()) {
                *to = term.to_f64_exact();
                n += 1;
            }
            self.add_block(&mut block, n);
            if n < 8 * TERMS {
                return;
            }
        }
    }
}

impl std::ops::Neg for ExactSum {
    type Output = Self;

    fn neg(mut self) -> Self {
        self.digits.iter_mut().for_each(|digit| *digit = -*digit);
        self.carry();
        // NaN stays NaN.
        let special = &mut self.special;
        std::mem::swap(
            &mut special.positive_infinity,
            &mut special.negative_infinity,
        );
        self
    }
}

impl PartialEq for ExactSum {
    /// Two sums are equal if their exact totals are equal.
    fn eq(&self, other: &Self) -> bool {
        self.special == other.special && self.canonical().digits == other.canonical().digits
    }
}

impl std::fmt::Debug for ExactSum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ExactSum").field(&self.value()).finish()
    }
}

#[cfg(feature = "serde")]
mod serialization {
    use super::{DIGITS, ExactSum, Special};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

    /// Digits after carry propagation, without leading zeros, and the non-finite terms.
    #[derive(Serialize, Deserialize)]
    struct StoredSum {
        digits: Vec<i64>,
        nan: bool,
        positive_infinity: bool,
        negative_infinity: bool,
    }

    impl Serialize for ExactSum {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let canonical = self.canonical();
            let used = canonical
                .digits
                .iter()
                .rposition(|&digit| digit != 0)
                .map_or(0, |top| top + 1);
            StoredSum {
                digits: canonical.digits[..used].to_vec(),
                nan: self.special.nan,
                positive_infinity: self.special.positive_infinity,
                negative_infinity: self.special.negative_infinity,
            }
            .serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for ExactSum {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let stored = StoredSum::deserialize(deserializer)?;
            // Stored digits are untrusted: `carry` and `round_to_nearest` rely on this range.
            let settled = |digit: &i64| (0..1 << 32).contains(digit);
            if stored.digits.len() > DIGITS
                || !stored.digits.iter().take(DIGITS - 1).all(settled)
                || stored
                    .digits
                    .get(DIGITS - 1)
                    .is_some_and(|top| top.unsigned_abs() >= 1 << 32)
            {
                return Err(D::Error::custom("not the digits of an exact sum"));
            }
            let mut sum = Self::new();
            sum.digits[..stored.digits.len()].copy_from_slice(&stored.digits);
            sum.special = Special {
                nan: stored.nan,
                positive_infinity: stored.positive_infinity,
                negative_infinity: stored.negative_infinity,
            };
            Ok(sum)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_finite() -> impl Strategy<Value = f64> {
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |x| x.is_finite())
    }

    fn sum_of(terms: &[f64]) -> f64 {
        terms.iter().copied().collect::<ExactSum>().value()
    }

    proptest! {
        #[test]
        fn one_term_comes_back_to_the_last_bit(x in any_finite()) {
            // -0.0 + nothing is +0.0 here, as in an integer grid.
            prop_assert_eq!(sum_of(&[x]), x);
        }

        #[test]
        fn two_terms_round_as_ieee_addition_does(x in any_finite(), y in any_finite()) {
            prop_assert_eq!(sum_of(&[x, y]), x + y);
        }

        #[test]
        fn close_terms_round_as_ieee_addition_does(x in -1e3..1e3f64, y in -1e-12..1e-12f64) {
            prop_assert_eq!(sum_of(&[x, y]), x + y);
        }

        #[test]
        fn terms_and_their_negatives_cancel_to_what_is_left(
            mut terms in prop::collection::vec(any_finite(), 0..40), left in any_finite()
        ) {
            let negatives: Vec<f64> = terms.iter().map(|x| -x).collect();
            terms.push(left);
            terms.extend(negatives);
            prop_assert_eq!(sum_of(&terms), left);
        }

        #[test]
        fn the_sum_does_not_depend_on_order_and_grouping(
            terms in prop::collection::vec(any_finite(), 0..60), cut in 0usize..60
        ) {
            let cut = cut.min(terms.len());
            let (mut left, right): (ExactSum, ExactSum) =
                (terms[cut..].iter().copied().collect(), terms[..cut].iter().rev().copied().collect());
            left.add_sum(&right);
            let whole: ExactSum = terms.iter().copied().collect();
            prop_assert_eq!(left.value().to_bits(), whole.value().to_bits());
            prop_assert_eq!(&left, &whole);
        }

        #[test]
        fn blocks_of_terms_equal_single_terms(
            terms in prop_oneof![
                prop::collection::vec(-1e3..1e3f64, 0..3000),
                prop::collection::vec((-1.0..1.0f64, -60..60i32).prop_map(|(x, e)| x * 2f64.powi(e)), 0..3000),
                // Places so near each other, or so far apart, that something is left of a term, or not.
                prop::collection::vec((any_finite(), 1000..1100u64).prop_map(|(x, e)| {
                    f64::from_bits(x.to_bits() & !(0x7ff << 52) | e << 52)
                }), 0..3000),
                prop::collection::vec(any_finite(), 0..300),
                prop::collection::vec(prop_oneof![Just(0.0), Just(-0.0), Just(5e-324), Just(f64::MAX)], 0..300),
                prop::collection::vec(any::<u64>().prop_map(f64::from_bits), 0..30),
            ],
            n_columns in 1usize..20,
        ) {
            let rows = &terms[..terms.len() / n_columns * n_columns];
            let mut sums = vec![ExactSum::new(); n_columns];
            ExactSum::add_rows(&mut sums, rows, |_, x| x);
            for (column, sum) in sums.iter().enumerate() {
                let mut one_by_one = ExactSum::new();
                rows.iter().skip(column).step_by(n_columns).for_each(|&term| one_by_one.add(term));
                prop_assert_eq!(sum, &one_by_one);
            }
            let (mut one_by_one, mut of_slice) = (ExactSum::new(), ExactSum::new());
            terms.iter().for_each(|&term| one_by_one.add(term));
            of_slice.add_slice(&terms);
            prop_assert_eq!(&of_slice, &one_by_one);
            prop_assert_eq!(terms.into_iter().collect::<ExactSum>(), one_by_one);
        }

        #[test]
        fn integers_sum_like_integers(terms in prop::collection::vec(-(1i64 << 52)..1i64 << 52, 0..3000)) {
            let exact: i128 = terms.iter().map(|&x| i128::from(x)).sum();
            let sum: ExactSum = terms.iter().map(|&x| x as f64).collect();
            let expected = exact as f64;
            prop_assert_eq!(sum.value(), expected);
        }

        #[cfg(feature = "serde")]
        #[test]
        fn a_state_survives_storage(terms in prop::collection::vec(any_finite(), 0..20)) {
            let sum: ExactSum = terms.iter().copied().collect();
            let text = serde_json::to_string(&sum).unwrap();
            prop_assert_eq!(serde_json::from_str::<ExactSum>(&text).unwrap(), sum);
        }
    }

    #[test]
    fn a_tie_far_below_is_broken_by_the_last_bit() {
        // 1 + 2^-53 is a tie and goes to even; any dust above it must round up, however small.
        let tie = 2f64.powi(-53);
        assert_eq!(sum_of(&[1.0, tie]), 1.0);
        assert_eq!(sum_of(&[1.0, tie, f64::from_bits(1)]), 1.0 + f64::EPSILON);
        assert_eq!(sum_of(&[1.0, tie, -f64::from_bits(1)]), 1.0);
    }

    #[test]
    fn a_total_in_range_survives_partial_sums_beyond_it() {
        assert_eq!(sum_of(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
        assert_eq!(sum_of(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(sum_of(&[-f64::MAX, -f64::MAX]), f64::NEG_INFINITY);
    }

    #[test]
    fn many_large_terms_of_one_sign_do_not_overflow_a_digit() {
        let sum: ExactSum = std::iter::repeat_n(-1.999_999_999f64, 1_000_000).collect();
        assert_eq!(sum.value(), -1.999_999_999 * 1e6);
    }

    #[test]
    fn non_finite_terms_follow_ieee() {
        assert_eq!(sum_of(&[f64::INFINITY, 1.0]), f64::INFINITY);
        assert!(sum_of(&[f64::INFINITY, f64::NEG_INFINITY]).is_nan());
        assert!(sum_of(&[f64::NAN, 1.0]).is_nan());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn foreign_digits_are_refused() {
        for digits in [
            "[-1]",
            "[4294967296]",
            &format!("[{}]", vec!["0"; 68].join(",")),
        ] {
            let text = format!(
                r#"{{"digits":{digits},"nan":false,"positive_infinity":false,"negative_infinity":false}}"#
            );
            assert!(serde_json::from_str::<ExactSum>(&text).is_err(), "{text}");
        }
    }
}
