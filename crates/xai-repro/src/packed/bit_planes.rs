//! Packing of errors and class codes into bits, and unpacking of codes.
//!
//! Bit plane `p` of a run holds bit `p` of the class code of every sample. Planes are stored block after block: the
//! `n_planes` blocks of the first 512 samples, then those of the next 512, so that one sample's bits are near each
//! other.

use xai_core::Label;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};

/// Number of bits of the codes `0..n_classes`: `⌈log2 n_classes⌉`, 0 for a single class.
pub(super) fn planes_for(n_classes: usize) -> usize {
    (usize::BITS - n_classes.saturating_sub(1).leading_zeros()) as usize
}

/// Gathers bit number `bit` of each of 64 bytes into one word, byte 0 in the lowest bit.
#[inline(always)]
fn plane_of_bytes(bytes: &[u8; 64], bit: usize) -> u64 {
    let (eights, _) = bytes.as_chunks::<8>();
    eights.iter().enumerate().fold(0, |word, (i, &eight)| {
        let ones = u64::from_le_bytes(eight) >> bit & 0x0101_0101_0101_0101;
        // The multiplier has the bits 7, 14, …, 56. Shifting the bit of byte `j` (position 8j) by 56 − 7j moves it to
        // 56 + j in the top byte; all 64 partial products have different positions, so that no carry disturbs the
        // others.
        word | ones.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * i)
    })
}

/// Sets bit number `bit` in each of 64 bytes where `word` has a 1; the inverse of [`plane_of_bytes`].
#[inline(always)]
pub(super) fn plane_to_bytes(word: u64, bit: usize, bytes: &mut [u8; 64]) {
    let (eights, _) = bytes.as_chunks_mut::<8>();
    for (eight, bits) in eights.iter_mut().zip(word.to_le_bytes()) {
        // Copies the eight bits to every byte and keeps bit `j` in byte `j`. Adding 0x7f carries into the top bit of a
        // byte exactly if the byte is not 0, and never into the next byte, because the byte is at most 0x80.
        let each = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        let ones = (each + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
        *eight = (u64::from_le_bytes(*eight) | ones << bit).to_le_bytes();
    }
}

/// Packs the errors of a run, one bit per sample: 1 if the prediction differs from the true label.
pub(super) fn wrong_bits<L: Label, M: Label>(predictions: &[L], labels: &[M]) -> Vec<Block> {
    InstructionSet::fastest().run(WrongBits {
        predictions,
        labels,
    })
}

struct WrongBits<'a, L, M> {
    predictions: &'a [L],
    labels: &'a [M],
}

impl<L: Label, M: Label> SimdKernel for WrongBits<'_, L, M> {
    type Output = Vec<Block>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<Block> {
        let mut blocks = vec![Block::default(); self.predictions.len().div_ceil(Block::SAMPLES)];
        let words = self.predictions.chunks(64).zip(self.labels.chunks(64));
        let mut wrong = [0u8; 64];
        for (at, (predicted, labels)) in words.enumerate() {
            // The last word may be partly filled: clear what the word before left in the buffer.
            if predicted.len() < 64 {
                wrong = [0; 64];
            }
            for ((wrong, predicted), label) in wrong.iter_mut().zip(predicted).zip(labels) {
                *wrong = u8::from(predicted.to_i64() != label.to_i64());
            }
            blocks[at / 8].0[at % 8] = plane_of_bytes(&wrong, 0);
        }
        blocks
    }
}

/// The bit planes and class counts of a run whose labels are `low..low + n_classes`, with code `label − low`. `None` if
/// another label occurs.
///
/// This avoids the lookup and the counter update per sample of [`plane_bits`]: codes are subtractions, which vectorise,
/// and classes are counted in the planes, 512 samples at a time.
pub(super) fn plane_bits_from<L: Label>(
    predictions: &[L],
    low: i64,
    n_classes: usize,
) -> Option<(Vec<Block>, Vec<u64>)> {
    InstructionSet::fastest().run(PlaneBitsFrom {
        predictions,
        low,
        n_classes,
    })
}

/// Largest number of classes for [`plane_bits_from`]. Counting in the planes takes one step per class, so that a table
/// of counters is faster for many classes.
pub(super) const MAX_CLASSES_COUNTED_BY_PLANES: usize = 64;

struct PlaneBitsFrom<'a, L> {
    predictions: &'a [L],
    low: i64,
    n_classes: usize,
}

impl<L: Label> SimdKernel for PlaneBitsFrom<'_, L> {
    type Output = Option<(Vec<Block>, Vec<u64>)>;

    const COUNTS_BITS: bool = true;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<(Vec<Block>, Vec<u64>)> {
        let n_planes = planes_for(self.n_classes);
        let n_blocks = self.predictions.len().div_ceil(Block::SAMPLES);
        let mut blocks = vec![Block::default(); n_blocks * n_planes];
        let mut counts = vec![0; self.n_classes];
        let mut codes = [0u8; 64];
        // OR of all codes. An unknown label is noticed once at the end instead of by a branch per sample.
        let mut bits = 0;
        for (at, samples) in self.predictions.chunks(Block::SAMPLES).enumerate() {
            let planes = &mut blocks[at * n_planes..][..n_planes];
            for (word, samples) in samples.chunks(64).enumerate() {
                if samples.len() < 64 {
                    codes = [0; 64];
                }
                for (code, label) in codes.iter_mut().zip(samples) {
                    // A label below `low` wraps around to a huge offset, and one that does not fit into `i64` becomes
                    // the largest: both have bits above the planes.
                    let offset_from_low = |label: i64| label.wrapping_sub(self.low).cast_unsigned();
                    let offset = label.to_i64().map_or(u64::MAX, offset_from_low);
                    bits |= offset;
                    *code = offset as u8;
                }
                for (plane, block) in planes.iter_mut().enumerate() {
                    block.0[word] = plane_of_bytes(&codes, plane);
                }
            }
            // Bits beyond the last sample are 0 in all planes and would count as class 0.
            let within = Block::within(samples.len());
            for (class, count) in counts.iter_mut().enumerate() {
                let members = members(planes, class);
                for (members, within) in members.iter().zip(within.0) {
                    *count += u64::from((members & within).count_ones());
                }
            }
        }
        // A code that fits into the planes but is not below `n_classes` (code 6 with 6 classes, say) was not counted
        // above.
        let counted = counts.iter().sum::<u64>() == self.predictions.len() as u64;
        (bits >> n_planes == 0 && counted).then_some((blocks, counts))
    }
}

/// One bit per sample of a block: 1 if the sample has this code. `planes` are the planes of the block.
#[inline(always)]
pub(super) fn members(planes: &[Block], code: usize) -> [u64; 8] {
    let mut members = [u64::MAX; 8];
    for (plane, bits) in planes.iter().enumerate() {
        // All ones where the code has a 0, so that XOR turns a matching bit into 1 without a branch.
        let flip = (code as u64 >> plane & 1).wrapping_sub(1);
        for (lane, member) in members.iter_mut().enumerate() {
            *member &= bits.0[lane] ^ flip;
        }
    }
    members
}

/// The bit planes of a run and the count of each code, for any codes below `n_classes`.
pub(super) fn plane_bits<L: Copy>(
    predictions: &[L],
    n_classes: usize,
    code: impl Fn(L) -> u32,
) -> (Vec<Block>, Vec<u64>) {
    let n_planes = planes_for(n_classes);
    let n_bytes = n_planes.div_ceil(8);
    let mut blocks = vec![Block::default(); predictions.len().div_ceil(Block::SAMPLES) * n_planes];
    // Two counters per class, used in turn: if neighbouring samples have the same class, the second increment need not
    // wait until the first is stored.
    let mut counts = vec![[0u64; 2]; n_classes];
    // Byte `b` of the codes of 64 samples, because planes are gathered from bytes. Most codes have one byte.
    let mut bytes = [[0u8; 64]; 4];
    for (at, samples) in predictions.chunks(Block::SAMPLES).enumerate() {
        let planes = &mut blocks[at * n_planes..][..n_planes];
        for (word, samples) in samples.chunks(64).enumerate() {
            if samples.len() < 64 {
                bytes = [[0; 64]; 4];
            }
            for (i, &sample) in samples.iter().enumerate() {
                let code = code(sample);
                counts[code as usize][i % 2] += 1;
                bytes[0][i] = code as u8;
                for (byte, bytes) in bytes[..n_bytes].iter_mut().enumerate().skip(1) {
                    bytes[i] = (code >> (8 * byte)) as u8;
                }
            }
            for (plane, block) in planes.iter_mut().enumerate() {
                block.0[word] = plane_of_bytes(&bytes[plane / 8], plane % 8);
            }
        }
    }
    (blocks, counts.into_iter().map(|[a, b]| a + b).collect())
}

/// Adds planes of zeros to a run that was packed when fewer classes were known: `n_wanted` instead of `n_planes` per
/// block.
pub(super) fn with_more_planes(
    planes: &[Block],
    n_planes: usize,
    n_wanted: usize,
    n_blocks: usize,
) -> Vec<Block> {
    let mut wider = vec![Block::default(); n_blocks * n_wanted];
    if n_planes > 0 {
        let blocks = planes.chunks_exact(n_planes);
        for (to, from) in wider.chunks_exact_mut(n_wanted).zip(blocks) {
            to[..n_planes].copy_from_slice(from);
        }
    }
    wider
}

/// One bit for each of 512 samples, as many as the widest registers hold. The alignment allows aligned loads into them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u64; 8]);

impl Block {
    /// Number of samples in a block.
    pub(crate) const SAMPLES: usize = 512;

    /// Mask with the first `n_samples` bits set; all 512 if there are more samples.
    pub(crate) fn within(n_samples: usize) -> Self {
        Self(std::array::from_fn(|word| {
            let used = n_samples.saturating_sub(64 * word).min(64);
            // `checked_shr` is `None` for a shift by 64, that is for an empty word.
            u64::MAX.checked_shr(64 - used as u32).unwrap_or(0)
        }))
    }

    /// True if `blocks` have `n_planes` bits for each of `n_samples` samples, and only zeros beyond the last sample.
    #[cfg(feature = "serde")]
    pub(crate) fn are_of(blocks: &[Self], n_planes: usize, n_samples: usize) -> bool {
        let n_blocks = n_samples.div_ceil(Self::SAMPLES);
        if n_blocks.checked_mul(n_planes) != Some(blocks.len()) {
            return false;
        }
        let n_in_last = n_samples - n_blocks.saturating_sub(1) * Self::SAMPLES;
        let within = Self::within(n_in_last).0;
        let is_within = |block: &Self| (0..8).all(|word| block.0[word] & !within[word] == 0);
        blocks.iter().rev().take(n_planes).all(is_within)
    }

    /// Number of bits set.
    pub(crate) fn count_ones(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_above_the_first_label_are_those_of_a_table(
            codes in prop::collection::vec(0u8..64, 0..1300),
            n_classes in 1usize..=MAX_CLASSES_COUNTED_BY_PLANES,
            low in prop_oneof![Just(i64::MIN), Just(i64::MAX - 63), -9..9i64],
            place in any::<prop::sample::Index>(),
        ) {
            let code = |label: i64| label.abs_diff(low) as u32;
            let label = |code: u8| low + i64::from(code) % n_classes as i64;
            let mut labels: Vec<i64> = codes.into_iter().map(label).collect();
            let table = plane_bits(&labels, n_classes, code);
            prop_assert_eq!(plane_bits_from(&labels, low, n_classes), Some(table));
            if !labels.is_empty() {
                let at = place.index(labels.len());
                for other in [low.wrapping_sub(1), low.wrapping_add(n_classes as i64), low.wrapping_add(256)] {
                    labels[at] = other;
                    prop_assert_eq!(plane_bits_from(&labels, low, n_classes), None);
                }
            }
        }
    }

    #[test]
    fn labels_out_of_range_have_no_code() {
        assert_eq!(plane_bits_from(&[0, u64::MAX], 0, 2), None);
    }
}
