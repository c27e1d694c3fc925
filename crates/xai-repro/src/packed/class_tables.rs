//! What the class tables of pairs are made from.

use xai_core::parallel;

use crate::packed::bit_planes::{Block, members, plane_to_bytes};

/// What a pair's class table is made from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TableSource {
    /// Tables are not needed.
    None,
    /// For each run the samples of each class, class after class.
    Sets(Vec<Vec<Block>>),
    /// For each run the code of each sample.
    Bytes(Vec<Vec<u8>>),
    /// The same for more than 256 classes.
    Halves(Vec<Vec<u16>>),
    /// The same for more than 65 536 classes.
    Words(Vec<Vec<u32>>),
}

/// Up to this many classes a pair's table comes from AND-popcounts of class sets, above it from a
/// histogram. The first costs `(c − 1)²/512` register operations per sample, the second a store.
///
/// Measured on one core of a Zen 4, random classes, µs per pair with Cramér's V:
///
/// | classes | 1000 samples: sets | histogram | 100 000 samples: sets | histogram |
/// |---|---|---|---|---|
/// | 5 | 0.3 | 1.0 | 2.1 | 78 |
/// | 10 | 1.0 | 1.2 | 12 | 78 |
/// | 15 | 1.9 | 1.9 | 27 | 78 |
/// | 20 | 3.3 | 2.6 | 48 | 80 |
/// | 25 | 4.4 | 3.0 | 75 | 80 |
/// | 30 | 6.0 | 3.5 | 110 | 91 |
pub(crate) const MOST_CLASSES_AS_SETS: usize = 24;

/// The same where rows of bits are so short that the ends of loops count.
const MOST_CLASSES_AS_SHORT_SETS: usize = 14;

/// Below this many samples rows are short.
const SHORT: usize = 8192;

/// The classes of all runs, a code each, cut into bit planes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planes {
    /// Bits per code.
    pub(crate) n_planes: usize,
    /// For each run `n_planes` blocks for every 512 samples; no runs where predictions are not
    /// compared.
    pub(crate) of_runs: Vec<Vec<Block>>,
    pub(crate) n_samples: usize,
}

impl Planes {
    /// What tables of so many classes are made from.
    pub(super) fn table_source(&self, n_classes: usize) -> TableSource {
        let most = match self.n_samples {
            ..SHORT => MOST_CLASSES_AS_SHORT_SETS,
            SHORT.. => MOST_CLASSES_AS_SETS,
        };
        if n_classes <= most {
            return TableSource::Sets(self.map_runs(|run| self.class_sets(run, n_classes)));
        }
        // As narrow as the codes of all classes are.
        match n_classes {
            0..=0x100 => TableSource::Bytes(self.codes_of_runs(|code| code as u8)),
            0x101..=0x1_0000 => TableSource::Halves(self.codes_of_runs(|code| code as u16)),
            _ => TableSource::Words(self.codes_of_runs(|code| code)),
        }
    }

    fn map_runs<T: Send>(&self, f: impl Fn(&[Block]) -> T + Sync + Send) -> Vec<T> {
        let f = |run: usize| f(&self.of_runs[run]);
        map_runs(self.of_runs.len(), self.n_samples, f)
    }

    /// The samples of each class but the last, whose counts follow from the totals.
    fn class_sets(&self, planes: &[Block], n_classes: usize) -> Vec<Block> {
        let n_sets = n_classes.saturating_sub(1);
        let n_blocks = self.n_samples.div_ceil(Block::SAMPLES);
        let mut sets = vec![Block::default(); n_sets * n_blocks];
        if self.n_planes == 0 {
            return sets;
        }
        for (at, planes) in planes.chunks_exact(self.n_planes).enumerate() {
            for class in 0..n_sets {
                sets[class * n_blocks + at] = Block(members(planes, class));
            }
        }
        // What is beyond the last sample has the code 0 and is of no class.
        let last = Block::within(self.n_samples - (n_blocks - 1) * Block::SAMPLES);
        for set in sets.chunks_exact_mut(n_blocks) {
            for (bits, samples) in set[n_blocks - 1].0.iter_mut().zip(last.0) {
                *bits &= samples;
            }
        }
        sets
    }

    fn codes_of_runs<C: Send>(&self, narrow: impl Fn(u32) -> C + Sync + Send) -> Vec<Vec<C>> {
        self.map_runs(|planes| self.codes(planes, &narrow))
    }

    /// The code of each sample.
    fn codes<C>(&self, planes: &[Block], narrow: impl Fn(u32) -> C) -> Vec<C> {
        let n_blocks = self.n_samples.div_ceil(Block::SAMPLES);
        let mut codes = Vec::with_capacity(n_blocks * Block::SAMPLES);
        for planes in planes.chunks_exact(self.n_planes.max(1)) {
            for word in 0..8 {
                let mut bytes = [[0u8; 64]; 4];
                for (plane, block) in planes.iter().enumerate() {
                    plane_to_bytes(block.0[word], plane % 8, &mut bytes[plane / 8]);
                }
                codes.extend((0..64).map(|i| {
                    let code = [bytes[0][i], bytes[1][i], bytes[2][i], bytes[3][i]];
                    narrow(u32::from_le_bytes(code))
                }));
            }
        }
        codes.truncate(self.n_samples);
        codes
    }
}

/// Maps `k` runs of `n` samples, in parallel where there is enough to do: a hundred thousand
/// predictions.
pub(super) fn map_runs<T: Send>(
    k: usize,
    n: usize,
    f: impl Fn(usize) -> T + Sync + Send,
) -> Vec<T> {
    if k.saturating_mul(n) < 100_000 {
        (0..k).map(f).collect()
    } else {
        parallel::map(k, f)
    }
}
