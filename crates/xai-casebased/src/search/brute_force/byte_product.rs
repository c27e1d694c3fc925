//! Dot products of rows in 8-bit integers, and which of them pass a bar, by the instructions of AVX-512 VNNI.
//!
//! One instruction multiplies 64 pairs of bytes and adds them up by fours. A panel of 64 rows times a strip of 6 queries fills 24
//! of the 32 registers with sums; each step loads 4 registers of rows and sends 4 features of each query to all lanes. The sums
//! are compared where they are, so no product is written.
// Instructions of a processor that has been asked for them, and registers that are read as arrays.
#![allow(unsafe_code)]
// Without such a processor nothing asks for it.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_variables))]

/// Registers of rows in a panel, of 16 rows each.
pub(super) const REGISTERS: usize = 4;

/// Rows of a panel.
pub(super) const PANEL: usize = 16 * REGISTERS;

/// Queries of a strip.
pub(super) const STRIP: usize = 6;

/// Four features, one after another, of every row of a panel, each with 128 added.
pub(super) type RowStep = [[u8; 64]; REGISTERS];

/// Four features of every query of a strip, each a byte with its sign.
pub(super) type QueryStep = [[u8; 4]; STRIP];

/// Rows, and what of them decides beside their products.
#[derive(Debug, Clone, Copy)]
pub(super) struct Panel<'a> {
    pub(super) steps: &'a [RowStep],
    /// What is taken from the product of each row.
    pub(super) halves: &'a [f32; PANEL],
    /// What of each row is multiplied by the reach of a query and added.
    pub(super) errors: &'a [f32; PANEL],
}

/// What a row passes if `product − half + reach · error` is not below `threshold`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bar {
    /// −128 times the sum of the features of the query, since rows have 128 added.
    pub(super) start: i32,
    pub(super) reach: f32,
    pub(super) threshold: f32,
}

/// What multiplies bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByteProduct(Way);

#[derive(Debug, Clone, Copy)]
enum Way {
    /// A processor that has the instructions.
    #[cfg(target_arch = "x86_64")]
    Vnni,
    /// Any, slowly.
    #[cfg(test)]
    Plain,
}

impl ByteProduct {
    /// Where this processor has the instructions.
    pub(super) fn fast() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni") {
            return Some(Self(Way::Vnni));
        }
        None
    }

    /// By plain loops.
    #[cfg(test)]
    pub(super) fn plain() -> Self {
        Self(Way::Plain)
    }

    /// The rows of a panel that pass the bar of each query, a bit each. What is not comparable passes.
    pub(super) fn passing(
        self,
        panel: Panel<'_>,
        strip: &[QueryStep],
        bars: &[Bar; STRIP],
    ) -> [u64; STRIP] {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: only `fast` makes this, where it found both features.
            Way::Vnni => unsafe { x86::passing(panel, strip, bars) },
            #[cfg(test)]
            Way::Plain => std::array::from_fn(|query| plain(panel, strip, bars[query], query)),
        }
    }
}

#[cfg(test)]
fn plain(panel: Panel<'_>, strip: &[QueryStep], bar: Bar, query: usize) -> u64 {
    let mut passing = 0;
    for row in 0..PANEL {
        let mut product = bar.start;
        for (rows, queries) in panel.steps.iter().zip(strip) {
            for (at, x) in queries[query].iter().enumerate() {
                let y = rows[row / 16][row % 16 * 4 + at];
                product += i32::from(x.cast_signed()) * i32::from(y);
            }
        }
        let beside = product as f32 - panel.halves[row];
        let reached = bar.reach.mul_add(panel.errors[row], beside);
        passing |= u64::from(reached >= bar.threshold || reached.is_nan()) << row;
    }
    passing
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::search::brute_force::byte_product::{
        Bar, PANEL, Panel, QueryStep, REGISTERS, STRIP,
    };
    use std::arch::x86_64::{
        __m512, __m512i, _CMP_NLT_UQ, _mm512_cmp_ps_mask, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32,
        _mm512_fmadd_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512, _mm512_sub_ps,
    };
    use std::mem::transmute;

    // Places that are known when it is compiled keep the sums in registers; iterators wrote each to memory at every step.
    #[allow(clippy::needless_range_loop)]
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub(super) fn passing(
        panel: Panel<'_>,
        strip: &[QueryStep],
        bars: &[Bar; STRIP],
    ) -> [u64; STRIP] {
        let mut sums = [[_mm512_setzero_si512(); REGISTERS]; STRIP];
        for query in 0..STRIP {
            for at in 0..REGISTERS {
                sums[query][at] = _mm512_set1_epi32(bars[query].start);
            }
        }
        for (rows, queries) in panel.steps.iter().zip(strip) {
            // SAFETY: 64 bytes, and a register of 64 of which any is valid.
            let rows = rows.map(|row| unsafe { transmute::<[u8; 64], __m512i>(row) });
            for query in 0..STRIP {
                let features = _mm512_set1_epi32(i32::from_ne_bytes(queries[query]));
                for at in 0..REGISTERS {
                    sums[query][at] = _mm512_dpbusd_epi32(sums[query][at], rows[at], features);
                }
            }
        }
        // One by one for the same reason.
        let [first, second, third, fourth, fifth, sixth] = sums;
        [
            above(first, panel, bars[0]),
            above(second, panel, bars[1]),
            above(third, panel, bars[2]),
            above(fourth, panel, bars[3]),
            above(fifth, panel, bars[4]),
            above(sixth, panel, bars[5]),
        ]
    }

    /// The rows whose products with a query pass its bar.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn above(products: [__m512i; REGISTERS], panel: Panel<'_>, bar: Bar) -> u64 {
        let (halves, errors) = (registers(panel.halves), registers(panel.errors));
        let (reach, threshold) = (_mm512_set1_ps(bar.reach), _mm512_set1_ps(bar.threshold));
        let mut passing = 0;
        for (at, &product) in products.iter().enumerate() {
            let beside = _mm512_sub_ps(_mm512_cvtepi32_ps(product), halves[at]);
            let reached = _mm512_fmadd_ps(reach, errors[at], beside);
            let mask = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(reached, threshold);
            passing |= u64::from(mask) << (16 * at);
        }
        passing
    }

    /// A number of each row.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn registers(values: &[f32; PANEL]) -> [__m512; REGISTERS] {
        // SAFETY: as many numbers, any of which is valid.
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
            start in -1_000_000i32..1_000_000,
            reach in prop_oneof![0f32..1e5, Just(f32::INFINITY)],
            threshold in prop_oneof![-1e6f32..1e6, Just(f32::NEG_INFINITY)],
        ) {
            let Some(fast) = ByteProduct::fast() else { return Ok(()) };
            let panel = Panel {
                steps: &steps,
                halves: halves.as_slice().try_into().expect("a panel"),
                errors: errors.as_slice().try_into().expect("a panel"),
            };
            let bars: [Bar; STRIP] = std::array::from_fn(|query| Bar {
                start: start * query as i32,
                reach,
                threshold: threshold + query as f32,
            });
            let passing = ByteProduct::plain().passing(panel, &strip, &bars);
            prop_assert_eq!(fast.passing(panel, &strip, &bars), passing);
        }
    }
}
