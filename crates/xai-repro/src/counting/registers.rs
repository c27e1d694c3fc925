//! The counting loops on registers of 512 bits, which have a population count of their own.
//!
//! The compiler does not find these loops by itself: it keeps the counters in memory.
#![allow(unsafe_code)]
#![allow(clippy::needless_range_loop)] // by constant places, so that counters stay in registers

use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_load_si512, _mm512_popcnt_epi64,
    _mm512_reduce_add_epi64, _mm512_setzero_si512, _mm512_ternarylogic_epi64,
};

use xai_core::simd::{Simd, SimdLevel};

use crate::counting::micro_kernel::MicroKernel;
use crate::packed::bit_planes::Block;

/// Bits set in both rows. Only made where the processor has VPOPCNTDQ.
#[derive(Clone, Copy)]
pub(super) struct SharedRegisters(());

/// Samples at which integers differ. Only made where the processor has VPOPCNTDQ.
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
    /// For integers of at least one plane.
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
        // SAFETY: a value of this type is only made within a kernel compiled for this level, which core
        // runs where it was detected; `check` has found all rows to be of one length.
        unsafe { shared(left, right) }
    }
}

impl MicroKernel for DifferentRegisters {
    // Twice 16 registers are more than there are, but rows come from the second cache: 1024 pairs of 100 000 samples of four
    // planes take 0.32 ms of one core of a Sapphire Rapids with 4 × 4, and 0.36 with 2 × 4.
    const ROWS: usize = 4;
    const COLUMNS: usize = 4;

    #[inline(always)]
    fn count<const R: usize, const C: usize>(
        self,
        left: [&[Block]; R],
        right: [&[Block]; C],
    ) -> [[u64; C]; R] {
        check(&left, &right, self.n_planes);
        // SAFETY: as above; the length of the rows is a multiple of the planes.
        unsafe { different(left, right, self.n_planes) }
    }
}

/// The loops read rows without looking at their lengths again.
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
    // By constant places: an iterator would keep the counters in memory, and the loops before this
    // would then store each of them in every round.
    for r in 0..R {
        for c in 0..C {
            totals[r][c] = _mm512_reduce_add_epi64(counts[r][c]).cast_unsigned();
        }
    }
    totals
}

/// # Safety
/// All rows are of one length.
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
            // SAFETY: below the one length of all rows.
            columns[c] = unsafe { load(right[c], at) };
        }
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

/// # Safety
/// All rows are of one length, a multiple of `n_planes`, which is not 0.
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
#[inline]
unsafe fn different<const R: usize, const C: usize>(
    left: [&[Block]; R],
    right: [&[Block]; C],
    n_planes: usize,
) -> [[u64; C]; R] {
    /// `different | (left ^ right)` as the table of a three-way operation.
    const OR_XOR: i32 = 0b1111_0110;
    let mut counts = [[_mm512_setzero_si512(); C]; R];
    let mut start = 0;
    while start < left[0].len() {
        let mut different = [[_mm512_setzero_si512(); C]; R];
        for at in start..start + n_planes {
            let mut columns = [_mm512_setzero_si512(); C];
            for c in 0..C {
                // SAFETY: below the one length of all rows, which the planes divide.
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
