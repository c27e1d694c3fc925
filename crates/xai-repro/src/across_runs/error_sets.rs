//! Which samples the runs get wrong.

use std::ops::Range;
use std::sync::Arc;

use xai_core::statistics::wilson;
use xai_core::{Interval, Result, parallel};

use crate::packed::bit_planes::Block;
use crate::packed::packed_runs::PackedRuns;

/// The error set of every run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorSets {
    n_samples: u64,
    sets: Arc<Vec<Vec<Block>>>,
    sizes: Vec<u64>,
}

/// How the runs' errors fall together in a block of samples.
#[derive(Debug, Clone, Copy, Default)]
struct Overlap {
    /// Wrong in every run.
    always: Block,
    /// Wrong in at least one run.
    ever: Block,
    /// Wrong in every run but one.
    all_but_one: Block,
    /// Wrong in exactly one run.
    one: Block,
}

impl ErrorSets {
    /// Those of packed runs, which share the memory.
    #[must_use]
    pub fn new(packed: &PackedRuns) -> Self {
        Self {
            n_samples: packed.totals.n_samples,
            sets: Arc::clone(&packed.wrong),
            sizes: packed.totals.n_wrong.clone(),
        }
    }

    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.sets.len()
    }

    /// Each run's accuracy, in [0, 1].
    #[must_use]
    pub fn accuracy(&self) -> Vec<f64> {
        accuracies(self.n_samples, &self.sizes)
    }

    /// [Wilson's interval](xai_core::statistics::wilson) of each run's accuracy, over samples.
    ///
    /// # Errors
    /// `InvalidParameter` for a level outside (0, 1).
    pub fn accuracy_intervals(&self, level: f64) -> Result<Vec<Interval>> {
        let sizes = self.sizes.iter();
        sizes
            .map(|n_wrong| wilson(self.n_samples - n_wrong, self.n_samples, level))
            .collect()
    }

    /// The samples that every run gets wrong, ascending.
    #[must_use]
    pub fn always_wrong(&self) -> Vec<usize> {
        self.members(|overlap| overlap.always)
    }

    /// The samples that at least one run gets wrong, ascending.
    #[must_use]
    pub fn ever_wrong(&self) -> Vec<usize> {
        self.members(|overlap| overlap.ever)
    }

    /// The number of samples that every run gets wrong, and of those that at least one does.
    #[must_use]
    pub fn n_always_and_ever_wrong(&self) -> (u64, u64) {
        let counts = self.overlaps(|overlap| (overlap.always.len(), overlap.ever.len()));
        counts
            .into_iter()
            .fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1))
    }

    /// For each run, the error consistency of all the *other* runs at once: the size of the
    /// intersection of their error sets over that of the union. `None` where they make no error.
    ///
    /// A run whose absence raises it is the one that errs differently.
    #[must_use]
    pub fn leave_one_out_consistency(&self) -> Vec<Option<f64>> {
        let (always, ever, alone) = self.overlap_counts();
        leave_one_out(always, ever, &alone)
    }

    /// The numbers of samples always and ever wrong, and what each run alone adds to them.
    pub(crate) fn overlap_counts(&self) -> (u64, u64, Vec<Alone>) {
        let (always, ever) = self.n_always_and_ever_wrong();
        let overlaps = self.overlaps(|overlap| (overlap.all_but_one, overlap.one));
        let alone = parallel::map(self.n_runs(), |run| {
            let mut alone = Alone::default();
            for (wrong, (all_but_one, one)) in self.sets[run].iter().zip(&overlaps) {
                alone.update(wrong, all_but_one, one);
            }
            alone
        });
        (always, ever, alone)
    }

    fn members(&self, of: impl Fn(&Overlap) -> Block + Sync + Send) -> Vec<usize> {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        let blocks = self.overlaps(of);
        let words = blocks.iter().flat_map(|block| block.0).enumerate();
        words
            .flat_map(|(i, word)| bits(word).map(move |bit| 64 * i + bit))
            .collect()
    }

    /// Maps how errors fall together in each block, in order.
    fn overlaps<T: Send>(&self, of: impl Fn(&Overlap) -> T + Sync + Send) -> Vec<T> {
        let n_blocks = self.sets.first().map_or(0, Vec::len);
        let blocks = parallel::map_blocks(n_blocks, 64, |range| -> Vec<T> {
            let met = errors_met(&self.sets, &range);
            let overlaps = met.iter().zip(range).map(|(met, block)| {
                let first = (block * Block::SAMPLES) as u64;
                let left = self
                    .n_samples
                    .saturating_sub(first)
                    .min(Block::SAMPLES as u64);
                met.overlap(Block::within(left as usize))
            });
            overlaps.map(|overlap| of(&overlap)).collect()
        });
        blocks.into_iter().flatten().collect()
    }
}

/// What one run alone adds to, or keeps from, the sets of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Alone {
    /// Samples that only this run gets right.
    pub(crate) right: u64,
    /// Samples that only this run gets wrong.
    pub(crate) wrong: u64,
}

impl Alone {
    fn update(&mut self, wrong: &Block, all_but_one: &Block, one: &Block) {
        for lane in 0..8 {
            self.right += u64::from((all_but_one.0[lane] & !wrong.0[lane]).count_ones());
            self.wrong += u64::from((one.0[lane] & wrong.0[lane]).count_ones());
        }
    }
}

/// Each run's accuracy from the number of samples it gets wrong.
pub(crate) fn accuracies(n_samples: u64, n_wrong: &[u64]) -> Vec<f64> {
    let right = n_wrong.iter().map(|&wrong| n_samples - wrong);
    right.map(|right| right as f64 / n_samples as f64).collect()
}

/// Without a run, what only it got right is always wrong, and what only it got wrong never is.
pub(crate) fn leave_one_out(always: u64, ever: u64, alone: &[Alone]) -> Vec<Option<f64>> {
    alone
        .iter()
        .map(|alone| {
            let (intersection, union) = (always + alone.right, ever - alone.wrong);
            (union > 0).then(|| intersection as f64 / union as f64)
        })
        .collect()
}

/// The samples of a block that some and that several runs get wrong, or right.
#[derive(Debug, Clone, Copy, Default)]
struct Met {
    wrong_once: Block,
    wrong_twice: Block,
    right_once: Block,
    right_twice: Block,
}

/// What is met at least once and at least twice in a range of blocks.
fn errors_met(sets: &[Vec<Block>], range: &Range<usize>) -> Vec<Met> {
    let mut all = vec![Met::default(); range.len()];
    for set in sets {
        for (met, errors) in all.iter_mut().zip(&set[range.clone()]) {
            for lane in 0..8 {
                let bits = errors.0[lane];
                met.wrong_twice.0[lane] |= met.wrong_once.0[lane] & bits;
                met.wrong_once.0[lane] |= bits;
                met.right_twice.0[lane] |= met.right_once.0[lane] & !bits;
                met.right_once.0[lane] |= !bits;
            }
        }
    }
    all
}

impl Met {
    /// How errors fall together; beyond the last sample nothing is wrong in any run.
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
