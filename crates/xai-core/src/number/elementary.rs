//! Exponential and logarithm that vectorise and give the same bits on every machine.
//!
//! The system's mathematics library differs between systems in the last bit, and a call to it keeps
//! a loop from vectorising. The functions of this module use only additions, multiplications, one
//! division and integer operations on the bits, never a fused multiply-add. So a compiler may
//! evaluate two, four or eight elements at a time without changing any result.

/// `2^52 + 2^51`. Adding it to a number leaves the nearest integer in the low bits of the sum.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
/// `ln 2` truncated to 32 significant bits, so that its product with an exponent is exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
/// `ln 2 − LN_2_HIGH`.
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// `e^x`, within 1.5 units in the last place of the true value; 0 below −745.2, ∞ above 709.8.
///
/// The input must not be NaN, which is not propagated.
///
/// ```
/// use xai_core::number::elementary::exp;
/// assert_eq!(exp(0.0), 1.0);
/// assert_eq!(exp(-1000.0), 0.0);
/// assert!((exp(1.0) - std::f64::consts::E).abs() < 1e-15);
/// ```
#[inline(always)]
#[must_use]
pub fn exp(x: f64) -> f64 {
    // Beyond these limits the result is 0 or ∞ anyway, and within them 2^k is a product of two
    // normal numbers (see below).
    let above = if x > -746.0 { x } else { -746.0 };
    let clamped = if above < 710.0 { above } else { 710.0 };
    // x = k ln 2 + r with |r| ≤ ln 2 / 2. Subtracting k ln 2 in two parts keeps the digits that r
    // has beyond those of x.
    let shifted = clamped * std::f64::consts::LOG2_E + ROUNDING;
    let k = shifted - ROUNDING;
    let r = (clamped - k * LN_2_HIGH) - k * LN_2_LOW;
    // Taylor series to r^13; the first omitted term is below 2^-57 of the sum.
    let mut tail = 1.0 / 6_227_020_800.0;
    tail = tail * r + 1.0 / 479_001_600.0;
    tail = tail * r + 1.0 / 39_916_800.0;
    tail = tail * r + 1.0 / 3_628_800.0;
    tail = tail * r + 1.0 / 362_880.0;
    tail = tail * r + 1.0 / 40_320.0;
    tail = tail * r + 1.0 / 5_040.0;
    tail = tail * r + 1.0 / 720.0;
    tail = tail * r + 1.0 / 120.0;
    tail = tail * r + 1.0 / 24.0;
    tail = tail * r + 1.0 / 6.0;
    tail = tail * r + 0.5;
    let sum = 1.0 + (r + (r * r) * tail);
    // 2^k as a product of two factors, because a single one cannot represent subnormal numbers or
    // 2^1024. The low bits of `shifted` are k; adding 2048 makes them positive, so that a logical
    // shift divides by 2.
    let biased = shifted.to_bits().wrapping_add(2048) & 0xfff;
    let half = biased >> 1;
    let power = |exponent_plus_1024: u64| f64::from_bits((exponent_plus_1024 - 1) << 52);
    sum * power(half) * power(biased - half)
}

/// `ln x`, within 1.5 units in the last place of the true value; −∞ for 0 and below.
///
/// The input must be finite: NaN and ∞ are not propagated.
///
/// ```
/// use xai_core::number::elementary::ln;
/// assert_eq!(ln(1.0), 0.0);
/// assert_eq!(ln(0.0), f64::NEG_INFINITY);
/// assert!((ln(10.0) - std::f64::consts::LN_10).abs() < 1e-15);
/// ```
#[inline(always)]
#[must_use]
pub fn ln(x: f64) -> f64 {
    /// Bits of √½. Significands below are doubled, which centres the range of `f` around 0.
    const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    /// `2^52 + 2048`. Subtracted from a number with biased exponent bits, it leaves the exponent.
    const TO_EXPONENT: f64 = 4_503_599_627_372_544.0;
    // Subnormal numbers are scaled by 2^54 into the normal range first.
    let subnormal = x < f64::MIN_POSITIVE;
    let lifted = if subnormal {
        x * 18_014_398_509_481_984.0
    } else {
        x
    };
    let lift = if subnormal { 54.0 } else { 0.0 };
    // x = 2^k (1 + f) with √½ ≤ 1 + f < √2.
    let bits = lifted.to_bits();
    let offset = bits.wrapping_sub(ROOT_HALF).wrapping_add(2048 << 52);
    let biased = offset >> 52;
    let k = f64::from_bits(0x4330_0000_0000_0000 | biased) - TO_EXPONENT - lift;
    let f = f64::from_bits((offset & ((1 << 52) - 1)).wrapping_add(ROOT_HALF)) - 1.0;
    // ln(1 + f) = 2 artanh(s) with s = f/(2 + f), arranged as f − (f²/2 − s (f²/2 + R)): the large
    // terms f and f²/2 are exact or nearly so, and only the small correction rounds. The first
    // omitted term of R is below 2^-56 of the sum.
    let s = f / (2.0 + f);
    let z = s * s;
    let mut r = 2.0 / 23.0;
    r = r * z + 2.0 / 21.0;
    r = r * z + 2.0 / 19.0;
    r = r * z + 2.0 / 17.0;
    r = r * z + 2.0 / 15.0;
    r = r * z + 2.0 / 13.0;
    r = r * z + 2.0 / 11.0;
    r = r * z + 2.0 / 9.0;
    r = r * z + 2.0 / 7.0;
    r = r * z + 2.0 / 5.0;
    r = r * z + 2.0 / 3.0;
    r *= z;
    let half_square = 0.5 * f * f;
    let value = k * LN_2_HIGH - ((half_square - (s * (half_square + r) + k * LN_2_LOW)) - f);
    if x > 0.0 { value } else { f64::NEG_INFINITY }
}

/// `1 / (1 + e^{−x})`, computed from `e^{−|x|}`, which cannot overflow.
///
/// ```
/// use xai_core::number::elementary::sigmoid;
/// assert_eq!((sigmoid(0.0), sigmoid(1000.0), sigmoid(-1000.0)), (0.5, 1.0, 0.0));
/// ```
#[inline(always)]
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    let e = exp(-x.abs());
    (if x >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance in units in the last place, for values of one sign.
    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    #[test]
    fn exp_is_within_one_ulp_of_the_system() {
        let mut worst = 0;
        for i in -7_460_000..=7_098_000 {
            let x = f64::from(i) * 1e-4 + 1e-9;
            worst = worst.max(ulps(exp(x), x.exp()));
        }
        assert!(worst <= 1, "{worst}");
    }

    #[test]
    fn exp_of_the_extremes() {
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(f64::MIN), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(-745.2), 0.0);
        assert_eq!(exp(-745.0), (-745.0f64).exp());
        assert!(ulps(exp(709.78), 709.78f64.exp()) <= 1);
        assert_eq!(exp(709.8), f64::INFINITY);
        assert_eq!(exp(f64::MAX), f64::INFINITY);
    }

    #[test]
    fn ln_is_within_one_ulp_of_the_system() {
        let mut worst = 0;
        for i in 1..2_000_000u32 {
            for x in [
                f64::from(i) * 1e-6,
                f64::from(i) * 1.7e3,
                exp(f64::from(i) * 3.5e-4),
                exp(f64::from(i) * -3.72e-4),
            ] {
                let ours = ln(x);
                // Near 1 the value passes through zero: signs must agree there too.
                assert!(ours * x.ln() >= 0.0, "{x}");
                worst = worst.max(ulps(ours.abs(), x.ln().abs()));
            }
        }
        assert!(worst <= 1, "{worst}");
    }

    #[test]
    fn ln_of_the_extremes() {
        assert_eq!(ln(1.0).to_bits(), 0);
        assert_eq!(ln(-0.0), f64::NEG_INFINITY);
        assert!(ulps(-ln(5e-324), -(5e-324f64.ln())) <= 1);
        assert!(ulps(-ln(f64::MIN_POSITIVE), -f64::MIN_POSITIVE.ln()) <= 1);
        assert!(ulps(ln(f64::MAX), f64::MAX.ln()) <= 1);
    }
}
