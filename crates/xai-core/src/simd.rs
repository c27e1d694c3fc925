//! Loops compiled for several SIMD instruction sets, selected at run time.
//!
//! A kernel is written once, in plain Rust over arrays of a fixed width, and compiled for every
//! [`SimdLevel`]. Compilation fuses no operations and reorders no sums, so all levels give the same
//! bits and differ only in speed. Processor features are detected here and, for products of bytes, in
//! the search of `xai-neighbors`.
#![allow(
    unsafe_code,
    reason = "on x86-64, functions compiled for other features and the intrinsics of `Simd` are unsafe to call"
)]

use std::fmt;
use std::sync::OnceLock;

mod sealed {
    pub trait Sealed {}
}

/// SIMD features that a kernel is compiled for, slowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SimdLevel {
    /// Features of the compiler's target (NEON on 64-bit Arm).
    Portable,
    /// AVX2 and POPCNT: 256-bit registers.
    Avx2,
    /// AVX-512 F and DQ in addition: 512-bit registers.
    Avx512,
    /// VPOPCNTDQ in addition: population counts of 512-bit registers.
    Avx512Popcount,
}

/// A [`SimdLevel`] that this processor supports.
///
/// Results are the same to the last bit on every level. The fastest is used by default; lower ones
/// are for measurements and tests.
///
/// ```
/// use xai_core::simd::InstructionSet;
/// let all = InstructionSet::available();
/// assert_eq!(all[0].to_string(), "portable");
/// assert_eq!(all.last(), Some(&InstructionSet::fastest()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
// Invariant: only constructed for detected levels, on which the safety of `run` depends.
pub struct InstructionSet(SimdLevel);

impl InstructionSet {
    /// Level that every processor supports.
    pub const PORTABLE: Self = Self(SimdLevel::Portable);

    /// Levels that this processor supports, slowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        #[cfg_attr(
            not(target_arch = "x86_64"),
            expect(unused_mut, reason = "extended on x86-64 only")
        )]
        let mut levels = vec![SimdLevel::Portable];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            levels.push(SimdLevel::Avx2);
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                levels.push(SimdLevel::Avx512);
                if is_x86_feature_detected!("avx512vpopcntdq") {
                    levels.push(SimdLevel::Avx512Popcount);
                }
            }
        }
        levels.into_iter().map(Self).collect()
    }

    /// Fastest level that this processor supports. Detected once.
    #[inline]
    #[must_use]
    pub fn fastest() -> Self {
        static FASTEST: OnceLock<InstructionSet> = OnceLock::new();
        *FASTEST.get_or_init(|| Self::available().pop().unwrap_or(Self::PORTABLE))
    }

    /// Returns the level.
    #[must_use]
    pub fn level(self) -> SimdLevel {
        self.0
    }

    /// Runs a kernel compiled for this level.
    #[inline]
    pub fn run<K: SimdKernel>(self, kernel: K) -> K::Output {
        match self.0 {
            // SAFETY: values of this level are only constructed where its features were detected.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx2 => unsafe { run_avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512Popcount if K::COUNTS_BITS => unsafe { run_avx512_popcount(kernel) },
            // SAFETY: as above; the level with population counts includes all features of the other.
            #[cfg(target_arch = "x86_64")]
            SimdLevel::Avx512 | SimdLevel::Avx512Popcount => unsafe { run_avx512(kernel) },
            _ => kernel.run::<Portable>(),
        }
    }
}

impl Default for InstructionSet {
    fn default() -> Self {
        Self::fastest()
    }
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self.0 {
            SimdLevel::Portable => "portable",
            SimdLevel::Avx2 => "avx2",
            SimdLevel::Avx512 => "avx512",
            SimdLevel::Avx512Popcount => "avx512-vpopcntdq",
        })
    }
}

/// A loop that is compiled for every level, as a value that contains its data.
///
/// `run` and all functions that it calls in the loop must be `#[inline(always)]`, because a
/// function that is not inlined is compiled for the baseline only.
///
/// ```
/// use xai_core::simd::{InstructionSet, Simd, SimdKernel};
/// struct Sum<'a>(&'a [f64]);
/// impl SimdKernel for Sum<'_> {
///     type Output = f64;
///     #[inline(always)]
///     fn run<S: Simd>(self) -> f64 {
///         let mut lanes = [0.0; 8];
///         for block in self.0.as_chunks::<8>().0 {
///             for lane in 0..8 {
///                 lanes[lane] += block[lane];
///             }
///         }
///         lanes.iter().sum()
///     }
/// }
/// assert_eq!(InstructionSet::fastest().run(Sum(&[1.0; 16])), 16.0);
/// ```
pub trait SimdKernel {
    /// Result of the loop.
    type Output;

    /// `true` if the kernel counts bits. Other kernels are compiled once for both AVX-512 levels,
    /// which saves code.
    const COUNTS_BITS: bool = false;

    /// Runs the loop, compiled for `S`.
    fn run<S: Simd>(self) -> Self::Output;
}

/// The level that a kernel is compiled for. Only [`InstructionSet::run`] selects it, and only if
/// the processor supports it.
pub trait Simd: sealed::Sealed {
    /// The level, for kernels with special code for some levels.
    const LEVEL: SimdLevel;

    /// Bit mask of the values that are at most `limit`; bit 0 is the first value. NaN is never at
    /// most `limit`.
    fn at_most(values: &[f64; 8], limit: f64) -> u8;

    /// Advances eight xoshiro256++ streams by one step and computes a candidate of the ziggurat
    /// method from the bits of each.
    ///
    /// The low 8 bits select the layer; the high 52 bits are a fraction of its width in [−1, 1).
    /// Returns the bit mask of the candidates that are not below the width of the next layer; bit 0
    /// is the first stream.
    #[inline(always)]
    fn ziggurat_step(
        before: &StreamStates,
        after: &mut StreamStates,
        layers: &ZigguratLayers,
        numbers: &mut [f64; 8],
    ) -> u8 {
        let mut beyond = 0;
        for lane in 0..8 {
            let [a, b, c, d] = before.0.map(|word| word[lane]);
            let bits = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
            let (c, d) = (c ^ a, d ^ b);
            let next = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
            for (word, next) in after.0.iter_mut().zip(next) {
                word[lane] = next;
            }
            let layer = (bits & 0xff) as usize;
            // With the exponent of 2, 52 random bits are a number in [2, 4).
            let share = f64::from_bits(bits >> 12 | 1 << 62) - 3.0;
            numbers[lane] = share * layers.widths[layer];
            let is_below = numbers[lane].abs() < layers.next_widths[layer];
            beyond |= u8::from(!is_below) << lane;
        }
        beyond
    }
}

/// States of eight xoshiro256++ streams, `[word of the state][stream]`. Aligned so that no 512-bit
/// register crosses a cache line.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct StreamStates(pub [[u64; 8]; 4]);

/// Layers of a ziggurat, widest first.
#[derive(Debug, Clone)]
pub struct ZigguratLayers {
    /// Widths of the layers.
    pub widths: [f64; 256],
    /// Width of the next layer for each layer; 0 for the last.
    pub next_widths: [f64; 256],
}

/// Marker for [`SimdLevel::Portable`].
struct Portable;

impl sealed::Sealed for Portable {}
impl Simd for Portable {
    const LEVEL: SimdLevel = SimdLevel::Portable;

    #[inline(always)]
    fn at_most(values: &[f64; 8], limit: f64) -> u8 {
        // Compilers turn this loop into about twenty instructions. The intrinsics of the other
        // levels take one per register.
        let mut mask = 0;
        for (lane, &value) in values.iter().enumerate() {
            mask |= u8::from(value <= limit) << lane;
        }
        mask
    }
}

#[cfg(target_arch = "x86_64")]
use x86::{run_avx2, run_avx512, run_avx512_popcount};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _CMP_LE_OQ, _CMP_NLT_UQ, _mm256_cmp_pd, _mm256_loadu_pd, _mm256_movemask_pd,
        _mm256_set1_pd, _mm512_abs_pd, _mm512_add_epi64, _mm512_and_si512, _mm512_castsi512_pd,
        _mm512_cmp_pd_mask, _mm512_i64gather_pd, _mm512_loadu_pd, _mm512_loadu_si512,
        _mm512_mul_pd, _mm512_or_si512, _mm512_rol_epi64, _mm512_set1_epi64, _mm512_set1_pd,
        _mm512_slli_epi64, _mm512_srli_epi64, _mm512_storeu_pd, _mm512_storeu_si512, _mm512_sub_pd,
        _mm512_xor_si512,
    };

    use super::{Simd, SimdKernel, SimdLevel, StreamStates, ZigguratLayers, sealed::Sealed};

    #[target_feature(enable = "avx2,popcnt")]
    pub(super) fn run_avx2<K: SimdKernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2>()
    }

    #[target_feature(enable = "avx2,avx512f,avx512dq,popcnt")]
    pub(super) fn run_avx512<K: SimdKernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512<false>>()
    }

    #[target_feature(enable = "avx2,avx512f,avx512dq,avx512vpopcntdq,popcnt")]
    pub(super) fn run_avx512_popcount<K: SimdKernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512<true>>()
    }

    pub(super) struct Avx2;

    impl Sealed for Avx2 {}
    impl Simd for Avx2 {
        const LEVEL: SimdLevel = SimdLevel::Avx2;

        #[inline(always)]
        fn at_most(values: &[f64; 8], limit: f64) -> u8 {
            // SAFETY: only `run_avx2` uses this type, so AVX2 is available. Each load reads four of
            // the eight values.
            unsafe {
                let limit = _mm256_set1_pd(limit);
                let half = |values: &[f64]| {
                    let below =
                        _mm256_cmp_pd::<_CMP_LE_OQ>(_mm256_loadu_pd(values.as_ptr()), limit);
                    _mm256_movemask_pd(below) as u8
                };
                half(&values[..4]) | half(&values[4..]) << 4
            }
        }
    }

    pub(super) struct Avx512<const COUNTS: bool>;

    impl<const COUNTS: bool> Sealed for Avx512<COUNTS> {}
    impl<const COUNTS: bool> Simd for Avx512<COUNTS> {
        const LEVEL: SimdLevel = if COUNTS {
            SimdLevel::Avx512Popcount
        } else {
            SimdLevel::Avx512
        };

        #[inline(always)]
        fn at_most(values: &[f64; 8], limit: f64) -> u8 {
            // SAFETY: this type is only used where AVX-512 F is available. The load reads all eight values.
            unsafe {
                _mm512_cmp_pd_mask::<_CMP_LE_OQ>(
                    _mm512_loadu_pd(values.as_ptr()),
                    _mm512_set1_pd(limit),
                )
            }
        }

        // Written with intrinsics, because compilers unpack and repack the streams of the default
        // loop one by one, which takes three times as long.
        #[inline(always)]
        fn ziggurat_step(
            StreamStates(before): &StreamStates,
            StreamStates(after): &mut StreamStates,
            layers: &ZigguratLayers,
            numbers: &mut [f64; 8],
        ) -> u8 {
            // SAFETY: AVX-512 F is available, as above. All loads and stores are of eight words of
            // arrays of eight. The gathers read indices of at most 255 from arrays of 256.
            unsafe {
                let a = _mm512_loadu_si512(before[0].as_ptr().cast());
                let b = _mm512_loadu_si512(before[1].as_ptr().cast());
                let c = _mm512_loadu_si512(before[2].as_ptr().cast());
                let d = _mm512_loadu_si512(before[3].as_ptr().cast());
                let rotated = _mm512_rol_epi64::<23>(_mm512_add_epi64(a, d));
                let bits = _mm512_add_epi64(rotated, a);
                let shifted = _mm512_slli_epi64::<17>(b);
                let (c, d) = (_mm512_xor_si512(c, a), _mm512_xor_si512(d, b));
                let (a, b) = (_mm512_xor_si512(a, d), _mm512_xor_si512(b, c));
                _mm512_storeu_si512(after[0].as_mut_ptr().cast(), a);
                _mm512_storeu_si512(after[1].as_mut_ptr().cast(), b);
                let c = _mm512_xor_si512(c, shifted);
                _mm512_storeu_si512(after[2].as_mut_ptr().cast(), c);
                let d = _mm512_rol_epi64::<45>(d);
                _mm512_storeu_si512(after[3].as_mut_ptr().cast(), d);
                let layer = _mm512_and_si512(bits, _mm512_set1_epi64(0xff));
                let width = _mm512_i64gather_pd::<8>(layer, layers.widths.as_ptr());
                let next_width = _mm512_i64gather_pd::<8>(layer, layers.next_widths.as_ptr());
                let share =
                    _mm512_or_si512(_mm512_srli_epi64::<12>(bits), _mm512_set1_epi64(1 << 62));
                let share = _mm512_sub_pd(_mm512_castsi512_pd(share), _mm512_set1_pd(3.0));
                let number = _mm512_mul_pd(share, width);
                _mm512_storeu_pd(numbers.as_mut_ptr(), number);
                _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(_mm512_abs_pd(number), next_width)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct AtMost<const COUNTS: bool>([f64; 8], f64);

    impl<const COUNTS: bool> SimdKernel for AtMost<COUNTS> {
        type Output = (SimdLevel, u8);

        const COUNTS_BITS: bool = COUNTS;

        #[inline(always)]
        fn run<S: Simd>(self) -> (SimdLevel, u8) {
            (S::LEVEL, S::at_most(&self.0, self.1))
        }
    }

    #[test]
    fn every_level_compares_like_the_operator() {
        let values = [0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, -1.0, 0.5, -1e300];
        for set in InstructionSet::available() {
            for limit in [0.0, 0.5, -2.0, f64::INFINITY, f64::NAN] {
                let expected = (0..8)
                    .filter(|&lane| values[lane] <= limit)
                    .map(|lane| 1 << lane)
                    .sum::<u8>();
                let counting = AtMost::<true>(values, limit);
                assert_eq!(set.run(counting), (set.level(), expected));
                let level = set.level().min(SimdLevel::Avx512);
                assert_eq!(set.run(AtMost::<false>(values, limit)), (level, expected));
            }
        }
    }
}
