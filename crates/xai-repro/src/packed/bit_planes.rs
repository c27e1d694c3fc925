//! Bits of samples, packed from labels and codes and unpacked again.

use xai_core::Label;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};

/// The number of bits that tell so many classes apart.
pub(super) fn planes_for(n_classes: usize) -> usize {
    (usize::BITS - n_classes.saturating_sub(1).leading_zeros()) as usize
}

/// The bits of 64 bytes at one place in each.
#[inline(always)]
fn plane_of_bytes(bytes: &[u8; 64], place: usize) -> u64 {
    let (eights, _) = bytes.as_chunks::<8>();
    eights.iter().enumerate().fold(0, |word, (i, &eight)| {
        let ones = u64::from_le_bytes(eight) >> place & 0x0101_0101_0101_0101;
        // The products land in the top byte without carries.
        word | ones.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * i)
    })
}

/// Sets the bit at one place in each of 64 bytes.
#[inline(always)]
pub(super) fn plane_to_bytes(word: u64, place: usize, bytes: &mut [u8; 64]) {
    let (eights, _) = bytes.as_chunks_mut::<8>();
    for (eight, bits) in eights.iter_mut().zip(word.to_le_bytes()) {
        // Each byte keeps one of the eight bits; then that bit, if set, becomes a 1.
        let each = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        let ones = (each + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
        *eight = (u64::from_le_bytes(*eight) | ones << place).to_le_bytes();
    }
}

/// The samples that a run gets wrong.
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

/// The bit planes of labels `low..low + n_classes`, whose codes are what they are above `low`, and how often each
/// code occurs: counted in the planes, where a table of codes and counters takes sample after sample. `None` where
/// there is another label.
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

/// Codes of more classes come from a table: counting in the planes takes a step for each class.
pub(super) const MOST_CLASSES_BY_PLANES: usize = 64;

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
        let mut bits = 0;
        for (at, samples) in self.predictions.chunks(Block::SAMPLES).enumerate() {
            let planes = &mut blocks[at * n_planes..][..n_planes];
            for (word, samples) in samples.chunks(64).enumerate() {
                if samples.len() < 64 {
                    codes = [0; 64];
                }
                for (code, label) in codes.iter_mut().zip(samples) {
                    let above = |label: i64| label.wrapping_sub(self.low).cast_unsigned();
                    let above = label.to_i64().map_or(u64::MAX, above);
                    bits |= above;
                    *code = above as u8;
                }
                for (plane, block) in planes.iter_mut().enumerate() {
                    block.0[word] = plane_of_bytes(&codes, plane);
                }
            }
            let within = Block::within(samples.len());
            for (class, count) in counts.iter_mut().enumerate() {
                let members = members(planes, class);
                for (members, within) in members.iter().zip(within.0) {
                    *count += u64::from((members & within).count_ones());
                }
            }
        }
        // Codes that the planes hold, but no class has, were not counted.
        let counted = counts.iter().sum::<u64>() == self.predictions.len() as u64;
        (bits >> n_planes == 0 && counted).then_some((blocks, counts))
    }
}

/// The samples of a block that have a code, by its planes.
#[inline(always)]
pub(super) fn members(planes: &[Block], code: usize) -> [u64; 8] {
    let mut members = [u64::MAX; 8];
    for (plane, bits) in planes.iter().enumerate() {
        let flip = (code as u64 >> plane & 1).wrapping_sub(1);
        for (lane, member) in members.iter_mut().enumerate() {
            *member &= bits.0[lane] ^ flip;
        }
    }
    members
}

/// The bit planes of codes, and how often each code occurs.
pub(super) fn plane_bits<L: Copy>(
    predictions: &[L],
    n_classes: usize,
    code: impl Fn(L) -> u32,
) -> (Vec<Block>, Vec<u64>) {
    let n_planes = planes_for(n_classes);
    let n_bytes = n_planes.div_ceil(8);
    let mut blocks = vec![Block::default(); predictions.len().div_ceil(Block::SAMPLES) * n_planes];
    // Two counters per class: equal neighbours do not wait for each other's store.
    let mut counts = vec![[0u64; 2]; n_classes];
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
                for (place, bytes) in bytes[..n_bytes].iter_mut().enumerate().skip(1) {
                    bytes[i] = (code >> (8 * place)) as u8;
                }
            }
            for (plane, block) in planes.iter_mut().enumerate() {
                block.0[word] = plane_of_bytes(&bytes[plane / 8], plane % 8);
            }
        }
    }
    (blocks, counts.into_iter().map(|[a, b]| a + b).collect())
}

/// The planes of a run that was packed when fewer classes were known.
pub(super) fn with_more_planes(
    planes: &[Block],
    had: usize,
    needed: usize,
    n_blocks: usize,
) -> Vec<Block> {
    let mut wider = vec![Block::default(); n_blocks * needed];
    if had > 0 {
        for (to, from) in wider.chunks_exact_mut(needed).zip(planes.chunks_exact(had)) {
            to[..had].copy_from_slice(from);
        }
    }
    wider
}

/// The bits of 512 samples: what the widest registers hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u64; 8]);

impl Block {
    /// The number of samples in a block.
    pub(crate) const SAMPLES: usize = 512;

    /// The bits of the first samples, all if there are more.
    pub(crate) fn within(n_samples: usize) -> Self {
        Self(std::array::from_fn(|word| {
            let used = n_samples.saturating_sub(64 * word).min(64);
            u64::MAX.checked_shr(64 - used as u32).unwrap_or(0)
        }))
    }

    pub(crate) fn len(&self) -> u64 {
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
            n_classes in 1usize..=MOST_CLASSES_BY_PLANES,
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
    fn what_does_not_fit_has_no_code() {
        assert_eq!(plane_bits_from(&[0, u64::MAX], 0, 2), None);
    }
}
