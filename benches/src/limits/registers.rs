//! Loops that stay in registers: how many operations of a kind the processor does.
//!
//! A loop is written for each width of registers, and the widest one that this processor has is run; where there is no
//! such loop, that of [`Lanes`] is compiled for the level that the kernels of the libraries run at.
// A function compiled for more than the baseline is called here, where its features were detected.
#![allow(unsafe_code)]

use std::hint::black_box;
use xai_core::simd::{InstructionSet, Simd, SimdKernel, SimdLevel};

use crate::limits::work::Limit;

/// Sums that do not wait for one another: more than the steps that a core has under way at a time.
const CHAINS: u32 = 12;

/// A loop, and what a round of it does.
pub(super) struct Loop {
    /// The instructions, or the level that the compiler chose them for.
    pub(super) instructions: String,
    /// Operations of a round, as [`Limit`] counts them.
    pub(super) operations: f64,
    /// Runs so many rounds.
    pub(super) run: fn(u32),
}

/// Calls `$module::$name` where `$feature`s are detected; `$each` operations are those of one register.
macro_rules! loop_of {
    ($name:ident, $text:literal, $each:expr) => {
        Some(Loop {
            instructions: $text.to_owned(),
            operations: f64::from(CHAINS) * $each,
            // SAFETY: the caller of the macro has detected the features of the function.
            run: |rounds| unsafe { x86::$name(rounds) },
        })
    };
}

/// The loop of the widest registers.
pub(super) fn widest(limit: Limit) -> Loop {
    #[cfg(target_arch = "x86_64")]
    if let Some(found) = of_x86(limit) {
        return found;
    }
    in_lanes(limit)
}

#[cfg(target_arch = "x86_64")]
fn of_x86(limit: Limit) -> Option<Loop> {
    let level = InstructionSet::fastest().level();
    let is_512 = level >= SimdLevel::Avx512;
    let is_256 = level >= SimdLevel::Avx2 && is_x86_feature_detected!("fma");
    match limit {
        Limit::Float32 if is_512 => loop_of!(float_32_of_512, "FMA, 512 bits", 32.0),
        Limit::Float32 if is_256 => loop_of!(float_32_of_256, "FMA, 256 bits", 16.0),
        Limit::Float64 if is_512 => loop_of!(float_64_of_512, "FMA, 512 bits", 16.0),
        Limit::Float64 if is_256 => loop_of!(float_64_of_256, "FMA, 256 bits", 8.0),
        Limit::Dot if is_512 && is_x86_feature_detected!("avx512vnni") => {
            loop_of!(dot_of_512, "VNNI, 512 bits", 128.0)
        }
        Limit::Dot if is_256 => loop_of!(dot_of_256, "VPMADDWD, 256 bits", 32.0),
        Limit::Count if level == SimdLevel::Avx512Popcount => {
            loop_of!(count_of_512, "VPOPCNTQ, 512 bits", 8.0)
        }
        Limit::SharedBits if level == SimdLevel::Avx512Popcount => {
            loop_of!(shared_bits_of_512, "VPOPCNTQ, 512 bits", 8.0)
        }
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{CHAINS, black_box};
    use std::arch::x86_64::{
        _mm256_add_epi32, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_madd_epi16, _mm256_set1_epi32,
        _mm256_set1_pd, _mm256_set1_ps, _mm512_add_epi64, _mm512_and_si512, _mm512_dpbusd_epi32,
        _mm512_fmadd_pd, _mm512_fmadd_ps, _mm512_popcnt_epi64, _mm512_set1_epi32,
        _mm512_set1_epi64, _mm512_set1_pd, _mm512_set1_ps,
    };

    macro_rules! loops {
        ($($name:ident, $features:literal, $start:expr, |$sum:ident, $x:ident| $step:expr;)*) => {$(
            #[target_feature(enable = $features)]
            pub(super) fn $name(rounds: u32) {
                let $x = black_box($start);
                let mut sums = [$start; CHAINS as usize];
                for _ in 0..rounds {
                    for at in 0..CHAINS as usize {
                        let $sum = sums[at];
                        sums[at] = $step;
                    }
                }
                black_box(sums);
            }
        )*};
    }

    loops! {
        float_32_of_512, "avx512f", _mm512_set1_ps(0.5), |sum, x| _mm512_fmadd_ps(sum, x, x);
        float_64_of_512, "avx512f", _mm512_set1_pd(0.5), |sum, x| _mm512_fmadd_pd(sum, x, x);
        float_32_of_256, "avx2,fma", _mm256_set1_ps(0.5), |sum, x| _mm256_fmadd_ps(sum, x, x);
        float_64_of_256, "avx2,fma", _mm256_set1_pd(0.5), |sum, x| _mm256_fmadd_pd(sum, x, x);
        dot_of_512, "avx512f,avx512vnni", _mm512_set1_epi32(1), |sum, x| _mm512_dpbusd_epi32(sum, x, x);
        dot_of_256, "avx2", _mm256_set1_epi32(1), |sum, x| _mm256_add_epi32(_mm256_madd_epi16(sum, x), x);
        count_of_512, "avx512f,avx512vpopcntdq", _mm512_set1_epi64(-1),
            |sum, x| _mm512_add_epi64(_mm512_popcnt_epi64(sum), x);
        shared_bits_of_512, "avx512f,avx512vpopcntdq", _mm512_set1_epi64(-1),
            |sum, x| _mm512_add_epi64(_mm512_popcnt_epi64(_mm512_and_si512(sum, x)), x);
    }
}

/// The same steps on arrays, whose instructions the compiler chooses.
struct Lanes<T, F> {
    rounds: u32,
    start: T,
    step: F,
}

/// Values of a round, in four chains of 128 bytes at most.
const LANES: usize = 16;

impl<T: Copy, F: Fn(T, T) -> T> SimdKernel for Lanes<T, F> {
    type Output = ();

    const COUNTS_BITS: bool = true;

    #[inline(always)]
    fn run<S: Simd>(self) {
        let x = black_box([self.start; LANES]);
        let mut sums = [x; 4];
        for _ in 0..self.rounds {
            for sum in &mut sums {
                for (sum, &x) in sum.iter_mut().zip(&x) {
                    *sum = (self.step)(*sum, x);
                }
            }
        }
        black_box(sums);
    }
}

fn in_lanes(limit: Limit) -> Loop {
    // Where registers of 512 bits have no population count, the libraries count in those of 256, too.
    fn set() -> InstructionSet {
        let mut sets = InstructionSet::available().into_iter();
        sets.rfind(|set| set.level() != SimdLevel::Avx512)
            .unwrap_or_default()
    }
    fn run<T: Copy>(rounds: u32, start: T, step: impl Fn(T, T) -> T) {
        set().run(Lanes {
            rounds,
            start,
            step,
        });
    }
    let run: fn(u32) = match limit {
        Limit::Float32 => |rounds| run(rounds, 0.5f32, |sum, x| sum * x + x),
        Limit::Float64 => |rounds| run(rounds, 0.5f64, |sum, x| sum * x + x),
        Limit::Dot => |rounds| run(rounds, 1i32, |sum, x| sum.wrapping_mul(x).wrapping_add(x)),
        Limit::SharedBits => |rounds| {
            run(rounds, u64::MAX, |sum, x| {
                u64::from((sum & x).count_ones()).wrapping_add(x)
            })
        },
        _ => |rounds| {
            run(rounds, u64::MAX, |sum, x| {
                u64::from(sum.count_ones()).wrapping_add(x)
            })
        },
    };
    Loop {
        instructions: set().to_string(),
        operations: 4.0 * LANES as f64 * limit.operations(),
        run,
    }
}
