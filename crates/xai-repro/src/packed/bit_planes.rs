//! Bits of samples, packed from labels and codes and unpacked again.

use xai_core::Label;

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
pub(super) fn wrong_bits<L: Label>(predictions: &[L], labels: &[i64]) -> Vec<Block> {
    let blocks = predictions
        .chunks(Block::SAMPLES)
        .zip(labels.chunks(Block::SAMPLES));
    let mut wrong = [0u8; 64];
    blocks
        .map(|(predictions, labels)| {
            let mut block = Block::default();
            let words = predictions.chunks(64).zip(labels.chunks(64));
            for (word, (predicted, label)) in block.0.iter_mut().zip(words) {
                if predicted.len() < 64 {
                    wrong = [0; 64];
                }
                for ((wrong, predicted), &label) in wrong.iter_mut().zip(predicted).zip(label) {
                    *wrong = u8::from(predicted.to_i64() != Some(label));
                }
                *word = plane_of_bytes(&wrong, 0);
            }
            block
        })
        .collect()
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
