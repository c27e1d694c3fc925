//! Predictions of several runs, packed for counting over pairs of runs.

use std::sync::Arc;

use crate::packed::bit_planes::Block;
use crate::packed::class_tables::{Planes, TableSource};
use crate::pair_metric::definition::PairNeeds;

/// Predictions of `k` runs for `n` samples, packed into bits so that pairs of runs can be counted fast.
///
/// The errors of a run take one bit per sample. Its predictions are coded as `0..c` for the `c` classes of all runs and
/// stored as bit planes, `⌈log2 c⌉` bits per sample, so that a few instructions compare 512 samples of two runs.
/// Metrics that need the class table of a pair also store one bit set per class but the last or, for many classes, the
/// codes.
///
/// Packing takes one or two passes over the predictions. Pack explicitly if metrics are evaluated more than once, or if
/// the runs do not fit into memory at once ([`PackedRunsBuilder`](crate::PackedRunsBuilder)).
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PackedRuns, PairMetric, Pairwise, metrics::PAIR_METRICS};
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
    /// The counts that these runs can provide.
    pub(crate) needs: PairNeeds,
    /// Errors by run, one bit per sample. Shared with [`ErrorSets`](crate::ErrorSets), hence the `Arc`.
    pub(crate) wrong: Arc<Vec<Vec<Block>>>,
    /// Label of each code; ascending if all runs were packed at once.
    pub(super) labels: Vec<i64>,
    pub(crate) planes: Planes,
    pub(crate) tables: TableSource,
}

impl PackedRuns {
    /// Number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.totals.n_runs()
    }

    /// Number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        usize::try_from(self.totals.n_samples).unwrap_or(usize::MAX)
    }

    /// The labels that occur in the predictions: in ascending order if all runs were packed at once. If runs were added
    /// in several steps, each step appends its new labels in ascending order. Empty if only errors are packed.
    #[must_use]
    pub fn classes(&self) -> &[i64] {
        &self.labels
    }

    /// Rough number of register operations to count one pair, which decides whether threads are worth their start.
    pub(crate) fn operations_per_pair(&self, needs: PairNeeds) -> usize {
        let n_sets = self.labels.len().saturating_sub(1);
        let per_table = match self.tables {
            TableSource::None => 0,
            TableSource::Sets(_) => n_sets * n_sets,
            // A histogram takes one store per sample.
            _ => Block::SAMPLES,
        };
        let per_block = usize::from(needs.errors)
            + usize::from(needs.equal) * self.planes.n_planes
            + usize::from(needs.tables) * per_table;
        self.n_blocks() * per_block
    }

    /// Number of blocks that hold one bit per sample.
    pub(crate) fn n_blocks(&self) -> usize {
        self.n_samples().div_ceil(Block::SAMPLES)
    }
}

/// Error and class counts of each run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct RunTotals {
    pub(crate) n_samples: u64,
    /// Number of wrong predictions by run.
    pub(crate) n_wrong: Vec<u64>,
    /// Number of predictions by run and class code. Empty if only errors are counted.
    pub(crate) class_counts: Vec<Vec<u64>>,
}

impl RunTotals {
    pub(crate) fn n_runs(&self) -> usize {
        self.n_wrong.len()
    }
}
