//! Dot products of rows in 8-bit integers, compared with a threshold, with AVX-512 VNNI instructions.
//!
//! One instruction multiplies 64 pairs of bytes and adds the products in groups of four. A panel of 64 rows times a
//! strip of 6 queries fills 24 of the 32 registers with sums; each step loads 4 registers of rows and broadcasts 4
//! features of each query. The sums are compared in registers, so no product is written to memory.
// For instructions that need a check of the processor, and for registers that are read as arrays.
#![allow(unsafe_code)]
// On other architectures nothing calls this module.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_variables))]

/// Registers of rows in a panel, of 16 rows each.
pub(super) const REGISTERS: usize = 4;

/// Rows of a panel.
pub(super) const PANEL: usize = 16 * REGISTERS;

/// Queries of a strip.
pub(super) const STRIP: usize = 6;

/// Four consecutive features of every row of a panel. 128 is added to each, because the instruction multiplies unsigned
/// with signed bytes.
pub(super) type RowStep = [[u8; 64]; REGISTERS];

/// Four consecutive features of every query of a strip, as the bytes of signed integers.
pub(super) type QueryStep = [[u8; 4]; STRIP];

/// A panel of rows with the terms of the criterion that depend on the row only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panel<'a> {
    pub(super) steps: &'a [RowStep],
    /// Term of each row that is subtracted from its product.
    pub(super) halves: &'a [f32; PANEL],
    /// Term of each row that is multiplied by the reach of a query and added.
    pub(super) errors: &'a [f32; PANEL],
}

/// The criterion of a query. A row passes unless `product − half + reach · error < threshold`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Criterion {
    /// −128 times the sum of the features of the query, which undoes the 128 that is added to the features of rows.
    pub(super) initial_sum: i32,
    pub(super) reach: f32,
    pub(super) threshold: f32,
}

/// An implementation of the products that this processor can run.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByteProduct(Kernel);

#[derive(Debug, Clone, Copy)]
enum Kernel {
    /// AVX-512 VNNI.
    #[cfg(target_arch = "x86_64")]
    Vnni,
    /// Plain loops for any processor, as a reference.
    #[cfg(test)]
    Portable,
}

impl ByteProduct {
    /// The fast implementation, if this processor has the instructions.
    pub(super) fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
            return Some(Self(Kernel::Vnni));
        }
        None
    }

    /// The reference implementation.
    #[cfg(test)]
    pub(super) fn portable() -> Self {
        Self(Kernel::Portable)
    }

    /// A bit mask of the rows of a panel that pass, for each query of a strip. Rows whose values are NaN pass.
    pub(super) fn rows_above(
        self,
        panel: Panel<'_>,
        strip: &[QueryStep],
        criteria: &[Criterion; STRIP],
    ) -> [u64; STRIP] {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: only `detect` creates this variant, after it found both features.
            Kernel::Vnni => unsafe { x86::rows_above(panel, strip, criteria) },
            #[cfg(test)]
            Kernel::Portable => {
                std::array::from_fn(|query| portable(panel, strip, criteria[query], query))
            }
        }
    }
}

#[cfg(test)]
fn portable(panel: Panel<'_>, strip: &[QueryStep], criterion: Criterion, query: usize) -> u64 {
    let mut passing = 0;
    for row in 0..PANEL {
        let mut product = criterion.initial_sum;
        for (rows, queries) in panel.steps.iter().zip(strip) {
            for (feature, x) in queries[query].iter().enumerate() {
                let y = rows[row / 16][row % 16 * 4 + feature];
                product += i32::from(x.cast_signed()) * i32::from(y);
            }
        }
        let difference = product as f32 - panel.halves[row];
        let reached = criterion.reach.mul_add(panel.errors[row], difference);
        passing |= u64::from(reached >= criterion.threshold || reached.is_nan()) << row;
    }
    passing
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::brute_force::byte_product::{Criterion, PANEL, Panel, QueryStep, REGISTERS, STRIP};
    use std::arch::x86_64::{
        __m512, __m512i, _CMP_NLT_UQ, _mm512_cmp_ps_mask, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32,
        _mm512_fmadd_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512, _mm512_sub_ps,
    };
    use std::mem::transmute;

    // Indices that are known at compile time keep the sums in registers. With iterators, each sum was written to memory
    // at every step.
    #[expect(clippy::needless_range_loop, reason = "see above")]
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub(super) fn rows_above(
        panel: Panel<'_>,
        strip: &[QueryStep],
        criteria: &[Criterion; STRIP],
    ) -> [u64; STRIP] {
        let mut sums = [[_mm512_setzero_si512(); REGISTERS]; STRIP];
        for query in 0..STRIP {
            for register in 0..REGISTERS {
                sums[query][register] = _mm512_set1_epi32(criteria[query].initial_sum);
            }
        }
        for (rows, queries) in panel.steps.iter().zip(strip) {
            // SAFETY: both types have 64 bytes, and a register may have any bits.
            let rows = rows.map(|row| unsafe { transmute::<[u8; 64], __m512i>(row) });
            for query in 0..STRIP {
                let features = _mm512_set1_epi32(i32::from_ne_bytes(queries[query]));
                for register in 0..REGISTERS {
                    sums[query][register] =
                        _mm512_dpbusd_epi32(sums[query][register], rows[register], features);
                }
            }
        }
        // Written out for the same reason.
        let [first, second, third, fourth, fifth, sixth] = sums;
        [
            query_rows_above(first, panel, criteria[0]),
            query_rows_above(second, panel, criteria[1]),
            query_rows_above(third, panel, criteria[2]),
            query_rows_above(fourth, panel, criteria[3]),
            query_rows_above(fifth, panel, criteria[4]),
            query_rows_above(sixth, panel, criteria[5]),
        ]
    }

    /// A bit mask of the rows whose products with one query pass its criterion.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn query_rows_above(
        products: [__m512i; REGISTERS],
        panel: Panel<'_>,
        criterion: Criterion,
    ) -> u64 {
        let (halves, errors) = (registers(panel.halves), registers(panel.errors));
        let (reach, threshold) = (
            _mm512_set1_ps(criterion.reach),
            _mm512_set1_ps(criterion.threshold),
        );
        let mut passing = 0;
        for (register, &product) in products.iter().enumerate() {
            let difference = _mm512_sub_ps(_mm512_cvtepi32_ps(product), halves[register]);
            let reached = _mm512_fmadd_ps(reach, errors[register], difference);
            // "Not less than" instead of "at least", so that NaN passes and is compared in full.
            let mask = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(reached, threshold);
            passing |= u64::from(mask) << (16 * register);
        }
        passing
    }

    /// Loads one number per row.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn registers(values: &[f32; PANEL]) -> [__m512; REGISTERS] {
        // SAFETY: both types hold 64 single-precision numbers, which may have any bits.
        unsafe { transmute::<[f32; PANEL], [__m512; REGISTERS]>(*values) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_same_rows_pass_as_by_plain_loops(
            (steps, strip) in (0usize..40).prop_flat_map(|n| (
                prop::collection::vec(prop::array::uniform4(any::<[u8; 32]>().prop_flat_map(|half| {
                    any::<[u8; 32]>().prop_map(move |other| std::array::from_fn(|i| if i < 32 { half[i] } else { other[i - 32] }))
                })), n),
                prop::collection::vec(any::<[[u8; 4]; STRIP]>(), n),
            )),
            halves in prop::collection::vec(-1e6f32..1e6, PANEL),
            errors in prop::collection::vec(0f32..10.0, PANEL),
            initial_sum in -1_000_000i32..1_000_000,
            reach in prop_oneof![0f32..1e5, Just(f32::INFINITY)],
            threshold in prop_oneof![-1e6f32..1e6, Just(f32::NEG_INFINITY)],
        ) {
            let Some(fast) = ByteProduct::detect() else { return Ok(()) };
            let panel = Panel {
                steps: &steps,
                halves: halves.as_slice().try_into().expect("a panel"),
                errors: errors.as_slice().try_into().expect("a panel"),
            };
            let criteria: [Criterion; STRIP] = std::array::from_fn(|query| Criterion {
                initial_sum: initial_sum * query as i32,
                reach,
                threshold: threshold + query as f32,
            });
            let passing = ByteProduct::portable().rows_above(panel, &strip, &criteria);
            prop_assert_eq!(fast.rows_above(panel, &strip, &criteria), passing);
        }
    }
}
