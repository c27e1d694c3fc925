//! Runs' predictions, packed for counting.

use std::sync::Arc;

use crate::packed::bit_planes::Block;
use crate::packed::class_tables::{Planes, TableSource};
use crate::pair_metric::definition::PairNeeds;

/// The predictions of `k` runs for `n` samples, packed: what each pair of runs is counted on.
///
/// A run's errors are one bit per sample. Its predictions are the narrowest integers that tell the
/// classes of all runs apart, cut into bit planes: `⌈log2 c⌉` bits per sample for `c` classes, so that
/// 512 samples of two runs are compared by a handful of instructions. For the metrics that need a
/// pair's class table there is one bit set per class beside it, or, for many classes, the integers.
///
/// Packing costs a pass over the predictions; who asks for metrics more than once, or has runs that
/// do not fit into memory at once ([`PackedRunsBuilder`](crate::PackedRunsBuilder)), packs first.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PackedRuns, PairMetric, Pairwise, registry::PAIR_METRICS};
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let packed = PackedRuns::new(PAIR_METRICS, predictions.view(), &[0, 1, 1, 0])?;
/// assert_eq!((packed.n_runs(), packed.n_samples(), packed.classes()), (3, 4, &[0, 1][..]));
/// let runs = Pairwise::new().evaluate_packed(&packed)?;
/// assert_eq!(runs.pairs(PairMetric::EC_LOCAL), [Some(1.0 / 3.0), Some(0.5), Some(0.0)]);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PackedRuns {
    pub(crate) totals: RunTotals,
    /// What they were packed for.
    pub(crate) needs: PairNeeds,
    /// The samples that each run gets wrong.
    pub(crate) wrong: Arc<Vec<Vec<Block>>>,
    /// The label of each code, ascending where all runs were packed at once.
    pub(super) labels: Vec<i64>,
    pub(crate) planes: Planes,
    pub(crate) tables: TableSource,
}

impl PackedRuns {
    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.totals.n_runs()
    }

    /// The number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        usize::try_from(self.totals.n_samples).unwrap_or(usize::MAX)
    }

    /// The labels that occur in the predictions, ascending where all runs were packed at once, else in the
    /// order they were met. Empty where only errors are packed.
    #[must_use]
    pub fn classes(&self) -> &[i64] {
        &self.labels
    }

    /// How many register operations the counts of a pair take, roughly.
    pub(crate) fn cost_of_a_pair(&self, needs: PairNeeds) -> usize {
        let n_sets = self.labels.len().saturating_sub(1);
        let of_table = match self.tables {
            TableSource::None => 0,
            TableSource::Sets(_) => n_sets * n_sets,
            _ => Block::SAMPLES,
        };
        let of_block = usize::from(needs.errors)
            + usize::from(needs.equal) * self.planes.n_planes
            + usize::from(needs.tables) * of_table;
        self.n_blocks() * of_block
    }

    /// The number of blocks per row of bits.
    pub(crate) fn n_blocks(&self) -> usize {
        self.n_samples().div_ceil(Block::SAMPLES)
    }
}

/// The number of errors and of each class, per run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct RunTotals {
    pub(crate) n_samples: u64,
    /// How many samples each run gets wrong.
    pub(crate) n_wrong: Vec<u64>,
    /// How often each run predicts each class, by code; no runs where predictions are not compared.
    pub(crate) class_counts: Vec<Vec<u64>>,
}

impl RunTotals {
    pub(crate) fn n_runs(&self) -> usize {
        self.n_wrong.len()
    }
}
