//! Samples that arrive in blocks.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::simd::InstructionSet;
use xai_core::tensor::check_shape;
use xai_core::{Accumulator, Error, Label, Result, parallel};

use crate::across_runs::agreement::Agreement;
use crate::across_runs::error_sets::{Alone, ErrorSets, accuracies, leave_one_out};
use crate::counting::pair_tiles::{PairCounts, TileBuffers, count_tile};
use crate::counting::pair_tiles::{Tile, n_pairs, pair_index, pairs};
use crate::input;
use crate::packed::packed_runs::PackedRuns;
use crate::packed::packed_runs::RunTotals;
use crate::pair_metric::definition::Cell;
use crate::pair_metric::definition::{PairMetric, PairNeeds};
use crate::pairwise::evaluate::Evaluation;
use crate::pairwise::options::EmptyUnion;
use crate::pairwise::options::Pairwise;
use crate::pairwise::reproducibility::PairTable;
use crate::pairwise::reproducibility::StreamedReproducibility;
#[cfg(feature = "serde")]
use crate::pairwise::stored_state::StoredState;

/// The pairwise metrics of `k` runs as a state that is updated with blocks of samples.
///
/// A block is the predictions of *all* runs for some samples, `(k, any)`, with those samples' labels:
/// columns of a `(k, n)` array, in any pieces and any order. The state is the counts of every pair, so
/// states of different samples add up, on one machine or several, and the result is that of all samples
/// at once to the last bit. Class tables (Cramér's V, mutual information) are kept by the cells that
/// occur; where neither is asked for, a pair costs two counters.
///
/// ```
/// use ndarray::{Axis, array};
/// use xai_repro::{Accumulator, PairMetric, Pairwise, PairwiseAccumulator};
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let labels = [0, 1, 1, 0];
/// let (mut left, mut right) = (PairwiseAccumulator::default(), PairwiseAccumulator::default());
/// left.update_labels(predictions.slice_axis(Axis(1), (..1).into()), &labels[..1])?;
/// right.update_labels(predictions.slice_axis(Axis(1), (1..).into()), &labels[1..])?;
/// right.merge(left)?;
/// let streamed = right.finish()?;
/// let at_once = Pairwise::new().evaluate(predictions.view(), &labels)?;
/// assert_eq!(streamed.pairs(PairMetric::PA_KAPPA), at_once.pairs(PairMetric::PA_KAPPA));
/// assert_eq!(streamed.n_always_wrong, 0);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredState"))]
pub struct PairwiseAccumulator {
    metrics: Vec<PairMetric>,
    empty_union: EmptyUnion,
    /// The labels that occur, ascending; their places are the codes below.
    classes: Vec<i64>,
    totals: RunTotals,
    /// What pairs share, pairs in order; empty where it is not needed.
    both_wrong: Vec<u64>,
    equal: Vec<u64>,
    /// Cells ascending.
    tables: Vec<Vec<Cell>>,
    always_wrong: u64,
    ever_wrong: u64,
    alone: Vec<Alone>,
}

/// So many samples keep every count and product of counts within its integer.
const MOST_SAMPLES: u64 = 1 << 48;

impl Default for PairwiseAccumulator {
    /// A state for all metrics, an empty union undefined.
    fn default() -> Self {
        Self::empty(&Pairwise::new())
    }
}

impl PairwiseAccumulator {
    /// A state for the metrics of these options, without samples. It counts with the fastest
    /// instructions of the machine it is on.
    ///
    /// # Errors
    /// `Empty` without metrics.
    pub fn new(options: &Pairwise) -> Result<Self> {
        options.check()?;
        Ok(Self::empty(options))
    }

    fn empty(options: &Pairwise) -> Self {
        Self {
            metrics: options.metrics.clone(),
            empty_union: options.empty_union,
            classes: Vec::new(),
            totals: RunTotals::default(),
            both_wrong: Vec::new(),
            equal: Vec::new(),
            tables: Vec::new(),
            always_wrong: 0,
            ever_wrong: 0,
            alone: Vec::new(),
        }
    }

    /// The number of runs; 0 before the first block.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.totals.n_runs()
    }

    /// The number of samples so far.
    #[must_use]
    pub fn n_samples(&self) -> u64 {
        self.totals.n_samples
    }

    /// [`update`](Accumulator::update) with labels of any type: `(k, m)` predictions and `(m,)` true
    /// labels of `m` samples. A block without samples changes nothing.
    ///
    /// # Errors
    /// `ShapeMismatch` when the block has another number of runs than those before, or not one label per
    /// sample; else as [`PackedRuns::new`]. The state is unchanged then.
    pub fn update_labels<L: Label, M: Label>(
        &mut self,
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<()> {
        if predictions.ncols() == 0 && labels.is_empty() {
            return Ok(());
        }
        if self.n_runs() > 0 {
            let expected = [self.n_runs(), predictions.ncols()];
            check_shape(input::PREDICTIONS, &expected, predictions.shape())?;
        }
        let packed = PackedRuns::new(&self.metrics, predictions, labels)?;
        let block = self.count(&packed);
        self.merge(block)
    }

    /// The state of one block.
    fn count(&self, packed: &PackedRuns) -> Self {
        let k = packed.n_runs();
        let needs = PairNeeds::of(&self.metrics);
        let (always_wrong, ever_wrong, alone) = ErrorSets::new(packed).overlap_counts();
        let if_needed = |is: bool| if is { n_pairs(k) } else { 0 };
        let mut both_wrong = vec![0; if_needed(needs.errors)];
        let mut equal = vec![0; if_needed(needs.equal)];
        let mut tables = vec![Vec::new(); if_needed(needs.tables)];
        for pair in count_pairs(packed, needs).into_iter().flatten() {
            if needs.errors {
                both_wrong[pair.index] = pair.both_wrong;
            }
            if needs.equal {
                equal[pair.index] = pair.equal;
            }
            if needs.tables {
                tables[pair.index] = pair.cells;
            }
        }
        Self {
            metrics: self.metrics.clone(),
            empty_union: self.empty_union,
            classes: packed.classes().to_vec(),
            totals: packed.totals.clone(),
            both_wrong,
            equal,
            tables,
            always_wrong,
            ever_wrong,
            alone,
        }
    }

    /// Whether another state can be added.
    fn check_mergeable(&self, other: &Self) -> Result<()> {
        if self.metrics != other.metrics {
            let names: Vec<&str> = other.metrics.iter().map(|metric| metric.name()).collect();
            let expected = "the metrics of the state it is merged into, in the same order";
            return Err(Error::parameter(input::METRICS, names.join(", "), expected));
        }
        if self.empty_union != other.empty_union {
            let (value, expected) = (
                other.empty_union,
                "the policy of the state it is merged into",
            );
            return Err(Error::parameter(input::EMPTY_UNION, value, expected));
        }
        if self.n_runs() > 0 && other.n_runs() > 0 {
            check_shape(input::RUNS, &[self.n_runs()], &[other.n_runs()])?;
        }
        let n_samples = self.totals.n_samples + other.totals.n_samples;
        if n_samples > MOST_SAMPLES {
            return Err(Error::parameter(input::SAMPLES, n_samples, "2^48 at most"));
        }
        Ok(())
    }

    /// Adds the counts of a state with the same codes of classes.
    fn add_counts(&mut self, other: Self) {
        self.totals.n_samples += other.totals.n_samples;
        self.always_wrong += other.always_wrong;
        self.ever_wrong += other.ever_wrong;
        add(&mut self.totals.n_wrong, &other.totals.n_wrong);
        add(&mut self.both_wrong, &other.both_wrong);
        add(&mut self.equal, &other.equal);
        let runs = self.totals.class_counts.iter_mut();
        for (mine, theirs) in runs.zip(&other.totals.class_counts) {
            add(mine, theirs);
        }
        for (mine, theirs) in self.alone.iter_mut().zip(&other.alone) {
            mine.right += theirs.right;
            mine.wrong += theirs.wrong;
        }
        for (mine, theirs) in self.tables.iter_mut().zip(other.tables) {
            mine.extend(theirs);
            mine.sort_unstable();
            mine.dedup_by(|cell, kept| {
                let same = (cell.row, cell.column) == (kept.row, kept.column);
                if same {
                    kept.count += cell.count;
                }
                same
            });
        }
    }

    /// Changes the codes to the places of the labels among more classes, fewer than 2^32.
    fn recode(&mut self, classes: &[i64]) {
        if self.classes == classes {
            return;
        }
        let places: Vec<u32> = self
            .classes
            .iter()
            .map(|label| classes.partition_point(|class| class < label) as u32)
            .collect();
        for counts in &mut self.totals.class_counts {
            let mut wider = vec![0; classes.len()];
            for (&place, &count) in places.iter().zip(counts.iter()) {
                wider[place as usize] = count;
            }
            *counts = wider;
        }
        for cell in self.tables.iter_mut().flatten() {
            cell.row = places[cell.row as usize];
            cell.column = places[cell.column as usize];
        }
        self.classes = classes.to_vec();
    }

    /// Each metric on all pairs, pairs in order.
    fn values(&self) -> Result<Vec<(PairMetric, Vec<Option<f64>>)>> {
        let evaluation = Evaluation {
            totals: &self.totals,
            empty_union: self.empty_union,
        };
        let runs: Vec<(usize, usize)> = pairs(self.n_runs()).collect();
        let of_pairs = parallel::try_map(runs.len(), |at| {
            let (first, second) = runs[at];
            let pair = PairCounts {
                first,
                second,
                both_wrong: self.both_wrong.get(at).copied().unwrap_or_default(),
                equal: self.equal.get(at).copied().unwrap_or_default(),
                cells: self.tables.get(at).map_or(&[], Vec::as_slice),
            };
            let value = |&metric: &PairMetric| evaluation.value(metric, &pair);
            self.metrics.iter().map(value).collect::<Result<Vec<_>>>()
        })?;
        let of_metric = |(m, &metric): (usize, &PairMetric)| {
            let values = of_pairs.iter().map(|values| values[m]);
            (metric, values.collect())
        };
        Ok(self.metrics.iter().enumerate().map(of_metric).collect())
    }
}

/// What is kept of a pair.
struct KeptCounts {
    index: usize,
    both_wrong: u64,
    equal: u64,
    cells: Vec<Cell>,
}

/// What pairs share in a block, tile by tile.
fn count_pairs(packed: &PackedRuns, needs: PairNeeds) -> Vec<Vec<KeptCounts>> {
    let k = packed.n_runs();
    let tiles = Tile::cover(k, parallel::threads());
    parallel::map(tiles.len(), |tile| {
        let mut kept = Vec::with_capacity(tiles[tile].pairs().count());
        let keep = |pair: PairCounts<'_>| {
            let mut cells = pair.cells.to_vec();
            cells.sort_unstable();
            kept.push(KeptCounts {
                index: pair_index(k, pair.first, pair.second),
                both_wrong: pair.both_wrong,
                equal: pair.equal,
                cells,
            });
        };
        let (fastest, buffers) = (InstructionSet::fastest(), &mut TileBuffers::default());
        count_tile(packed, &tiles[tile], needs, fastest, buffers, keep);
        kept
    })
}

fn add(counts: &mut [u64], more: &[u64]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}

/// Labels as `i64`; [`PairwiseAccumulator::update_labels`] takes any.
impl Accumulator for PairwiseAccumulator {
    type Batch<'a> = (ArrayView2<'a, i64>, ArrayView1<'a, i64>);
    type Output = StreamedReproducibility;

    fn update(&mut self, (predictions, labels): Self::Batch<'_>) -> Result<()> {
        self.update_labels(predictions, &labels.to_vec())
    }

    /// Adds a state of other samples.
    ///
    /// # Errors
    /// `InvalidParameter` when the two were set up differently or hold more than 2⁴⁸ samples together,
    /// `ShapeMismatch` for another number of runs. The state is unchanged then.
    fn merge(&mut self, mut other: Self) -> Result<()> {
        self.check_mergeable(&other)?;
        if other.n_runs() == 0 {
            return Ok(());
        }
        if self.n_runs() == 0 {
            *self = other;
            return Ok(());
        }
        let mut classes = [self.classes.as_slice(), &other.classes].concat();
        classes.sort_unstable();
        classes.dedup();
        self.recode(&classes);
        other.recode(&classes);
        self.add_counts(other);
        Ok(())
    }

    /// The metrics of all samples so far; the state can go on.
    ///
    /// # Errors
    /// `Empty` without samples, `OutOfDomain` for a pair without errors under [`EmptyUnion::Error`].
    fn finish(&self) -> Result<StreamedReproducibility> {
        let k = self.n_runs();
        if k == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        let agreeing = self.equal.iter().map(|&equal| 2 * u128::from(equal)).sum();
        Ok(StreamedReproducibility {
            pairs: PairTable {
                n_runs: k,
                empty_union: self.empty_union,
                values: self.values()?,
            },
            n_samples: self.totals.n_samples,
            accuracy: accuracies(self.totals.n_samples, &self.totals.n_wrong),
            n_always_wrong: self.always_wrong,
            n_ever_wrong: self.ever_wrong,
            leave_one_out_consistency: leave_one_out(
                self.always_wrong,
                self.ever_wrong,
                &self.alone,
            ),
            agreement: (!self.equal.is_empty())
                .then(|| Agreement::from_counts(&self.totals, agreeing)),
        })
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredState> for PairwiseAccumulator {
    type Error = Error;

    fn try_from(stored: StoredState) -> Result<Self> {
        stored.check(MOST_SAMPLES)?;
        Ok(Self {
            metrics: stored.metrics,
            empty_union: stored.empty_union,
            classes: stored.classes,
            totals: stored.totals,
            both_wrong: stored.both_wrong,
            equal: stored.equal,
            tables: stored.tables,
            always_wrong: stored.always_wrong,
            ever_wrong: stored.ever_wrong,
            alone: stored.alone,
        })
    }
}
