//! Error sets of the runs: always wrong, ever wrong, leave-one-out consistency.

use std::ops::Range;
use std::sync::Arc;

use xai_core::statistics::wilson;
use xai_core::{Interval, Result, parallel};

use crate::packed::bit_planes::Block;
use crate::packed::packed_runs::PackedRuns;

/// Error sets of all runs: the samples that each run predicts wrongly.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredSets"))]
pub struct ErrorSets {
    n_samples: u64,
    sets: Arc<Vec<Vec<Block>>>,
    #[cfg_attr(feature = "serde", serde(skip_serializing))]
    sizes: Vec<u64>,
}

/// Deserialised error sets, which are not yet checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct StoredSets {
    #[serde(deserialize_with = "xai_core::stored::bounded_count")]
    n_samples: u64,
    sets: Vec<Vec<Block>>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredSets> for ErrorSets {
    type Error = xai_core::Error;

    fn try_from(stored: StoredSets) -> Result<Self> {
        let n = usize::try_from(stored.n_samples).unwrap_or(usize::MAX);
        let is_complete = |set: &Vec<Block>| n > 0 && Block::are_of(set, 1, n);
        if stored.sets.len() < 2 || !stored.sets.iter().all(is_complete) {
            let why = "not one bit for each sample of at least two runs";
            return Err(xai_core::Error::corrupt(crate::input::ERRORS, why));
        }
        let size = |set: &Vec<Block>| set.iter().map(Block::count_ones).sum();
        Ok(Self {
            n_samples: stored.n_samples,
            sizes: stored.sets.iter().map(size).collect(),
            sets: Arc::new(stored.sets),
        })
    }
}

/// Samples of a block by the number of runs that predict them wrongly.
#[derive(Debug, Clone, Copy, Default)]
struct Overlap {
    /// Wrong in all runs.
    always: Block,
    /// Wrong in at least one run.
    ever: Block,
    /// Wrong in all runs but one.
    all_but_one: Block,
    /// Wrong in exactly one run.
    one: Block,
}

impl ErrorSets {
    /// Returns the error sets of packed runs, without copying them.
    #[must_use]
    pub fn new(packed: &PackedRuns) -> Self {
        Self {
            n_samples: packed.totals.n_samples,
            sets: Arc::clone(&packed.wrong),
            sizes: packed.totals.n_wrong.clone(),
        }
    }

    /// Number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.sets.len()
    }

    /// Accuracy by run, in [0, 1].
    #[must_use]
    pub fn accuracy(&self) -> Vec<f64> {
        accuracies(self.n_samples, &self.sizes)
    }

    /// [Wilson's interval](xai_core::statistics::wilson) of the accuracy by run, over samples.
    ///
    /// # Errors
    /// `InvalidParameter` for a level outside (0, 1).
    pub fn accuracy_intervals(&self, level: f64) -> Result<Vec<Interval>> {
        let sizes = self.sizes.iter();
        sizes
            .map(|n_wrong| wilson(self.n_samples - n_wrong, self.n_samples, level))
            .collect()
    }

    /// Indices of the samples that all runs predict wrongly, in ascending order.
    #[must_use]
    pub fn always_wrong(&self) -> Vec<usize> {
        self.members(|overlap| overlap.always)
    }

    /// Indices of the samples that at least one run predicts wrongly, in ascending order.
    #[must_use]
    pub fn ever_wrong(&self) -> Vec<usize> {
        self.members(|overlap| overlap.ever)
    }

    /// Numbers of samples that all runs predict wrongly, and that at least one run predicts wrongly.
    #[must_use]
    pub fn n_always_and_ever_wrong(&self) -> (u64, u64) {
        let counts =
            self.overlaps(|overlap| (overlap.always.count_ones(), overlap.ever.count_ones()));
        counts
            .into_iter()
            .fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1))
    }

    /// Error consistency of all *other* runs, by run that is left out: size of the intersection of their error sets
    /// divided by the size of the union. `None` if the other runs have no errors.
    ///
    /// A high value for a run means that its errors differ from those of the other runs.
    #[must_use]
    pub fn leave_one_out_consistency(&self) -> Vec<Option<f64>> {
        let (always, ever, alone) = self.overlap_counts();
        leave_one_out(always, ever, &alone)
    }

    /// Numbers of samples that are always and ever wrong, and of samples that each run alone predicts rightly or
    /// wrongly.
    pub(crate) fn overlap_counts(&self) -> (u64, u64, Vec<LoneCounts>) {
        let (always, ever) = self.n_always_and_ever_wrong();
        let overlaps = self.overlaps(|overlap| (overlap.all_but_one, overlap.one));
        let alone = parallel::map(self.n_runs(), |run| {
            let mut alone = LoneCounts::default();
            for (wrong, (all_but_one, one)) in self.sets[run].iter().zip(&overlaps) {
                alone.update(wrong, all_but_one, one);
            }
            alone
        });
        (always, ever, alone)
    }

    /// Indices of the samples in one of the sets of the overlaps.
    fn members(&self, set: impl Fn(&Overlap) -> Block + Sync + Send) -> Vec<usize> {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        let blocks = self.overlaps(set);
        let words = blocks.iter().flat_map(|block| block.0).enumerate();
        words
            .flat_map(|(i, word)| bits(word).map(move |bit| 64 * i + bit))
            .collect()
    }

    /// Maps the overlap of each block, in order.
    fn overlaps<T: Send>(&self, map: impl Fn(&Overlap) -> T + Sync + Send) -> Vec<T> {
        let n_blocks = self.sets.first().map_or(0, Vec::len);
        // 64 blocks of all runs at a time: rows are read in runs of 4 KiB, and the occurrences stay in the cache.
        let blocks = parallel::map_blocks(n_blocks, 64, |range| -> Vec<T> {
            let occurrences = Occurrences::count(&self.sets, &range);
            let overlaps = occurrences.iter().zip(range).map(|(occurrences, block)| {
                let first = (block * Block::SAMPLES) as u64;
                let n_in_block = self
                    .n_samples
                    .saturating_sub(first)
                    .min(Block::SAMPLES as u64);
                occurrences.overlap(Block::within(n_in_block as usize))
            });
            overlaps.map(|overlap| map(&overlap)).collect()
        });
        blocks.into_iter().flatten().collect()
    }
}

/// Numbers of samples on which one run differs from all others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LoneCounts {
    /// Number of samples that only this run predicts rightly.
    pub(crate) right: u64,
    /// Number of samples that only this run predicts wrongly.
    pub(crate) wrong: u64,
}

impl LoneCounts {
    fn update(&mut self, wrong: &Block, all_but_one: &Block, one: &Block) {
        for lane in 0..8 {
            self.right += u64::from((all_but_one.0[lane] & !wrong.0[lane]).count_ones());
            self.wrong += u64::from((one.0[lane] & wrong.0[lane]).count_ones());
        }
    }
}

/// Accuracy by run from the number of wrong predictions.
pub(crate) fn accuracies(n_samples: u64, n_wrong: &[u64]) -> Vec<f64> {
    let n_right = n_wrong.iter().map(|&wrong| n_samples - wrong);
    n_right
        .map(|right| right as f64 / n_samples as f64)
        .collect()
}

/// Error consistency of all other runs, by run that is left out.
pub(crate) fn leave_one_out(always: u64, ever: u64, alone: &[LoneCounts]) -> Vec<Option<f64>> {
    alone
        .iter()
        .map(|alone| {
            // Without a run, samples that only it gets right become always wrong, and samples that only it gets wrong
            // are no longer wrong in any run.
            let (intersection, union) = (always + alone.right, ever - alone.wrong);
            (union > 0).then(|| intersection as f64 / union as f64)
        })
        .collect()
}

/// Samples of a block that at least one run and at least two runs predict wrongly or rightly.
///
/// Counting up to two is enough for all sets of [`Overlap`], and takes two bits per sample instead of a counter.
#[derive(Debug, Clone, Copy, Default)]
struct Occurrences {
    wrong_once: Block,
    wrong_twice: Block,
    right_once: Block,
    right_twice: Block,
}

impl Occurrences {
    /// Counts over all runs in a range of blocks.
    fn count(sets: &[Vec<Block>], range: &Range<usize>) -> Vec<Self> {
        let mut all = vec![Self::default(); range.len()];
        for set in sets {
            for (counted, errors) in all.iter_mut().zip(&set[range.clone()]) {
                for lane in 0..8 {
                    let wrong = errors.0[lane];
                    counted.wrong_twice.0[lane] |= counted.wrong_once.0[lane] & wrong;
                    counted.wrong_once.0[lane] |= wrong;
                    counted.right_twice.0[lane] |= counted.right_once.0[lane] & !wrong;
                    counted.right_once.0[lane] |= !wrong;
                }
            }
        }
        all
    }

    /// The sets that follow from the counts. `samples` masks the bits beyond the last sample, which are never wrong.
    fn overlap(&self, samples: Block) -> Overlap {
        let mut overlap = Overlap::default();
        for lane in 0..8 {
            let (wrong, right) = (self.wrong_once.0[lane], self.right_once.0[lane]);
            overlap.ever.0[lane] = wrong;
            overlap.one.0[lane] = wrong & !self.wrong_twice.0[lane];
            overlap.always.0[lane] = !right & samples.0[lane];
            overlap.all_but_one.0[lane] = right & !self.right_twice.0[lane] & samples.0[lane];
        }
        overlap
    }
}
