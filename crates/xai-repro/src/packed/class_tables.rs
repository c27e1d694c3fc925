//! Sources of the class tables of pairs: bit sets of classes or class codes.

use xai_core::parallel;

use crate::packed::bit_planes::{Block, members, plane_to_bytes};

/// Data from which the class table of a pair of runs is counted, by run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TableSource {
    /// Tables are not needed.
    None,
    /// Bit sets of the samples of each class but the last, one class after the other. A cell is the population count of
    /// the AND of two sets.
    Sets(Vec<Vec<Block>>),
    /// Code of each sample, for at most 256 classes.
    Bytes(Vec<Vec<u8>>),
    /// Code of each sample, for at most 65 536 classes.
    Halves(Vec<Vec<u16>>),
    /// Code of each sample, for more classes.
    Words(Vec<Vec<u32>>),
}

/// Largest number of classes for [`TableSource::Sets`]; tables of more classes are histograms of the codes. Sets take
/// `(c − 1)²/512` register operations per sample, a histogram one store.
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
pub(crate) const MAX_CLASSES_AS_SETS: usize = 24;

/// The same limit for fewer than [`SHORT`] samples, where the start and end of each short loop over a set matter.
const MAX_CLASSES_AS_SHORT_SETS: usize = 14;

/// Number of samples below which bit sets are short.
const SHORT: usize = 8192;

/// Predicted classes of all runs as bit planes of their codes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planes {
    /// Bits per code.
    pub(crate) n_planes: usize,
    /// By run, `n_planes` blocks for every 512 samples. Empty if only errors are packed.
    pub(crate) runs: Vec<Vec<Block>>,
    pub(crate) n_samples: usize,
}

impl Planes {
    /// Chooses and builds the faster source of class tables for this number of classes and samples.
    pub(super) fn table_source(&self, n_classes: usize) -> TableSource {
        let max_classes_as_sets = match self.n_samples {
            ..SHORT => MAX_CLASSES_AS_SHORT_SETS,
            SHORT.. => MAX_CLASSES_AS_SETS,
        };
        if n_classes <= max_classes_as_sets {
            return TableSource::Sets(self.map_runs(|run| self.class_sets(run, n_classes)));
        }
        // The narrowest integers that hold all codes take the least memory bandwidth.
        match n_classes {
            0..=0x100 => TableSource::Bytes(self.codes_of_runs(|code| code as u8)),
            0x101..=0x1_0000 => TableSource::Halves(self.codes_of_runs(|code| code as u16)),
            _ => TableSource::Words(self.codes_of_runs(|code| code)),
        }
    }

    fn map_runs<T: Send>(&self, f: impl Fn(&[Block]) -> T + Sync + Send) -> Vec<T> {
        map_runs(self.runs.len(), self.n_samples, |run| f(&self.runs[run]))
    }

    /// Bit sets of the samples of each class but the last. Counts of the last class follow from the totals of the run.
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
        // Bits beyond the last sample have code 0 in the planes but belong to no class.
        let last = Block::within(self.n_samples - (n_blocks - 1) * Block::SAMPLES);
        for set in sets.chunks_exact_mut(n_blocks) {
            for (bits, samples) in set[n_blocks - 1].0.iter_mut().zip(last.0) {
                *bits &= samples;
            }
        }
        sets
    }

    fn codes_of_runs<C: Copy + Send>(
        &self,
        narrow: impl Fn(u32) -> C + Sync + Send,
    ) -> Vec<Vec<C>> {
        self.map_runs(|planes| codes_of_planes(planes, self.n_planes, self.n_samples, &narrow))
    }
}

/// Unpacks the code of each of `n_samples` samples from the planes of one run.
pub(super) fn codes_of_planes<C: Copy>(
    planes: &[Block],
    n_planes: usize,
    n_samples: usize,
    narrow: impl Fn(u32) -> C,
) -> Vec<C> {
    let n_blocks = n_samples.div_ceil(Block::SAMPLES);
    let mut codes = Vec::with_capacity(n_blocks * Block::SAMPLES);
    for planes in planes.chunks_exact(n_planes.max(1)) {
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
    // Cuts off the unused bits of the last block. A single class has no planes, and code 0.
    codes.resize(n_samples, narrow(0));
    codes
}

/// Maps `k` runs of `n` samples, in parallel if there are at least 100,000 predictions, so that threads pay off.
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
