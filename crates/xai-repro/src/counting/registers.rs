//! Counting loops on 512-bit registers with the vector population count of AVX-512 (VPOPCNTDQ).
//!
//! They are written with intrinsics because the compiler keeps the counters of the portable loops in memory.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop)] // constant indices keep the counters in registers

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_load_si512, _mm512_popcnt_epi64,
    _mm512_reduce_add_epi64, _mm512_setzero_si512, _mm512_ternarylogic_epi64,
};

use xai_core::simd::{Simd, SimdLevel};

use crate::counting::micro_kernel::MicroKernel;
use crate::packed::bit_planes::Block;

/// Counts bits set in both rows. A value exists only on processors with VPOPCNTDQ, which makes its calls safe.
#[derive(Clone, Copy)]
pub(super) struct SharedRegisters(());

/// Counts samples whose codes differ. A value exists only on processors with VPOPCNTDQ, which makes its calls safe.
#[derive(Clone, Copy)]
pub(super) struct DifferentRegisters {
    n_planes: usize,
}

impl SharedRegisters {
    #[inline(always)]
    pub(super) fn new<S: Simd>() -> Option<Self> {
        (S::LEVEL == SimdLevel::Avx512Popcount).then_some(Self(()))
    }
}

impl DifferentRegisters {
    /// Creates the kernel; `None` without VPOPCNTDQ or for codes without planes.
    #[inline(always)]
    pub(super) fn new<S: Simd>(n_planes: usize) -> Option<Self> {
        (S::LEVEL == SimdLevel::Avx512Popcount && n_planes > 0).then_some(Self { n_planes })
    }
}

impl MicroKernel for SharedRegisters {
    const ROWS: usize = 4;
    const COLUMNS: usize = 4;

    #[inline(always)]
    fn count<const R: usize, const C: usize>(
        self,
        left: [&[Block]; R],
        right: [&[Block]; C],
    ) -> [[u64; C]; R] {
        check(&left, &right, 1);
        // SAFETY: a value of this type is created only in a kernel compiled for this level, which `xai_core::simd` runs
        // only if the processor has it. `check` found that all rows have the same length.
        unsafe { shared(left, right) }
    }
}

impl MicroKernel for DifferentRegisters {
    // 4 × 4 needs 16 registers for counters and 16 for differences, all 32 of the processor, so that some spill. It is
    // still faster than 2 × 4, because rows come from the second-level cache and are read less often: 1024 pairs of 100
    // 000 samples with four planes take 0.32 ms on one core of a Sapphire Rapids with 4 × 4, and 0.36 ms with 2 × 4.
    const ROWS: usize = 4;
    const COLUMNS: usize = 4;

    #[inline(always)]
    fn count<const R: usize, const C: usize>(
        self,
        left: [&[Block]; R],
        right: [&[Block]; C],
    ) -> [[u64; C]; R] {
        check(&left, &right, self.n_planes);
        // SAFETY: as above; `check` also found that the length is a multiple of `n_planes`.
        unsafe { different(left, right, self.n_planes) }
    }
}

/// Checks the lengths of the rows, on which the unchecked loads of the loops rely.
///
/// # Panics
/// If the rows differ in length or the length is not a multiple of `n_planes`.
#[inline(always)]
fn check(left: &[&[Block]], right: &[&[Block]], n_planes: usize) {
    let length = left[0].len();
    let mut rows = left.iter().chain(right);
    assert!(rows.all(|row| row.len() == length) && length.is_multiple_of(n_planes));
}

/// # Safety
/// `at` is below the length of the row.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn load(row: &[Block], at: usize) -> __m512i {
    debug_assert!(at < row.len());
    // SAFETY: within the row, as the caller promises; a block is as long and as aligned as the register.
    unsafe { _mm512_load_si512(row.as_ptr().add(at).cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn totals<const R: usize, const C: usize>(counts: [[__m512i; C]; R]) -> [[u64; C]; R] {
    let mut totals = [[0; C]; R];
    // Constant indices, because an iterator here would keep the counters in memory, and the loop before this one would
    // then store each counter in every round.
    for r in 0..R {
        for c in 0..C {
            totals[r][c] = _mm512_reduce_add_epi64(counts[r][c]).cast_unsigned();
        }
    }
    totals
}

/// Counts bits set in both rows, for each row on the left and each on the right.
///
/// # Safety
/// All rows have the same length.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
#[inline]
unsafe fn shared<const R: usize, const C: usize>(
    left: [&[Block]; R],
    right: [&[Block]; C],
) -> [[u64; C]; R] {
    let mut counts = [[_mm512_setzero_si512(); C]; R];
    for at in 0..left[0].len() {
        let mut columns = [_mm512_setzero_si512(); C];
        for c in 0..C {
            // SAFETY: `at` is below the common length of all rows.
            columns[c] = unsafe { load(right[c], at) };
        }
        // R + C loads serve R · C population counts.
        for r in 0..R {
            // SAFETY: as above.
            let row = unsafe { load(left[r], at) };
            for c in 0..C {
                let both = _mm512_popcnt_epi64(_mm512_and_si512(row, columns[c]));
                counts[r][c] = _mm512_add_epi64(counts[r][c], both);
            }
        }
    }
    totals(counts)
}

/// Counts samples whose codes differ, for each row on the left and each on the right.
///
/// # Safety
/// All rows have the same length, a multiple of `n_planes`, which is not 0.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
#[inline]
unsafe fn different<const R: usize, const C: usize>(
    left: [&[Block]; R],
    right: [&[Block]; C],
    n_planes: usize,
) -> [[u64; C]; R] {
    /// Truth table of `different | (left ^ right)`, which one instruction evaluates.
    const OR_XOR: i32 = 0b1111_0110;
    let mut counts = [[_mm512_setzero_si512(); C]; R];
    let mut start = 0;
    while start < left[0].len() {
        // Two codes differ if they differ in any plane.
        let mut different = [[_mm512_setzero_si512(); C]; R];
        for at in start..start + n_planes {
            let mut columns = [_mm512_setzero_si512(); C];
            for c in 0..C {
                // SAFETY: `at` is below the common length of all rows, because that is a multiple of `n_planes`.
                columns[c] = unsafe { load(right[c], at) };
            }
            for r in 0..R {
                // SAFETY: as above.
                let row = unsafe { load(left[r], at) };
                for c in 0..C {
                    different[r][c] =
                        _mm512_ternarylogic_epi64::<OR_XOR>(different[r][c], row, columns[c]);
                }
            }
        }
        for r in 0..R {
            for c in 0..C {
                let count = _mm512_popcnt_epi64(different[r][c]);
                counts[r][c] = _mm512_add_epi64(counts[r][c], count);
            }
        }
        start += n_planes;
    }
    totals(counts)
}
