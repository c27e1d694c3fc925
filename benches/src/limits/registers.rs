//! Loops that use only registers, to measure how many operations of a kind the processor executes.
//!
//! There is a loop for each width of registers, of which the widest one that this processor has is run. Without such a
//! loop, that of [`Lanes`] is compiled for the SIMD level at which the kernels of the libraries run.
// Functions with `target_feature` are called after the features were detected.
#![allow(unsafe_code)]

use std::hint::black_box;
use xai_core::simd::{InstructionSet, Simd, SimdKernel, SimdLevel};

use crate::limits::work::Limit;

/// Number of independent sums. It is larger than the number of operations that a core executes at a time, so that no
/// operation waits for the result of another.
const CHAINS: u32 = 12;

/// A loop, and the number of operations in a round.
pub(super) struct Loop {
    /// The instructions, or the level for which the compiler chose them.
    pub(super) instructions: String,
    /// Operations of a round, as [`Limit`] counts them.
    pub(super) operations: f64,
    /// Runs a number of rounds.
    pub(super) run: fn(u32),
}

/// Returns the loop `x86::$name`, with `$each` operations per register. The features of the function must be detected
/// before.
macro_rules! x86_loop {
    ($name:ident, $text:literal, $each:expr) => {
        Some(Loop {
            instructions: $text.to_owned(),
            operations: f64::from(CHAINS) * $each,
            // SAFETY: the caller of the macro has detected the features of the function.
            run: |rounds| unsafe { x86::$name(rounds) },
        })
    };
}

/// Returns the loop for the widest registers of this processor.
pub(super) fn widest(limit: Limit) -> Loop {
    #[cfg(target_arch = "x86_64")]
    if let Some(found) = widest_x86(limit) {
        return found;
    }
    in_lanes(limit)
}

#[cfg(target_arch = "x86_64")]
fn widest_x86(limit: Limit) -> Option<Loop> {
    let level = InstructionSet::fastest().level();
    let is_512 = level >= SimdLevel::Avx512;
    let is_256 = level >= SimdLevel::Avx2 && is_x86_feature_detected!("fma");
    match limit {
        Limit::Float32 if is_512 => x86_loop!(float_32_of_512, "FMA, 512 bits", 32.0),
        Limit::Float32 if is_256 => x86_loop!(float_32_of_256, "FMA, 256 bits", 16.0),
        Limit::Float64 if is_512 => x86_loop!(float_64_of_512, "FMA, 512 bits", 16.0),
        Limit::Float64 if is_256 => x86_loop!(float_64_of_256, "FMA, 256 bits", 8.0),
        Limit::Dot if is_512 && is_x86_feature_detected!("avx512vnni") => {
            x86_loop!(dot_of_512, "VNNI, 512 bits", 128.0)
        }
        Limit::Dot if is_256 => x86_loop!(dot_of_256, "VPMADDWD, 256 bits", 32.0),
        Limit::Count if level == SimdLevel::Avx512Popcount => {
            x86_loop!(count_of_512, "VPOPCNTQ, 512 bits", 8.0)
        }
        Limit::SharedBits if level == SimdLevel::Avx512Popcount => {
            x86_loop!(shared_bits_of_512, "VPOPCNTQ, 512 bits", 8.0)
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

/// Kernel with the same steps on arrays, for which the compiler chooses the instructions.
struct Lanes<T, F> {
    rounds: u32,
    start: T,
    step: F,
}

/// Number of values per chain, at most 128 bytes. There are four chains.
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
    // The libraries also use registers of 256 bits if those of 512 bits have no population count.
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
