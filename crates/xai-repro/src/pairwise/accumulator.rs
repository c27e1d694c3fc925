//! Accumulation of pair metrics over samples that arrive in blocks.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::simd::InstructionSet;
use xai_core::tensor::check_shape;
use xai_core::{Accumulator, Error, Label, Result, parallel};

use crate::across_runs::agreement::Agreement;
use crate::across_runs::error_sets::{ErrorSets, LoneCounts, accuracies, leave_one_out};
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

/// State of the pairwise metrics of `k` runs, updated with blocks of samples.
///
/// A block consists of the predictions of *all* runs for some samples and the labels of these samples, that is, any
/// columns of a `(k, n)` array. The state consists of counts for every pair, so that states of different samples can be
/// merged, also from several machines. The result has the same bits as for all samples at once.
///
/// Metrics of class tables (Cramér's V, mutual information) store the cells that occur; all other metrics need two
/// counters per pair.
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
    /// Labels that occur, in ascending order. The index of a label is its class code.
    classes: Vec<i64>,
    totals: RunTotals,
    /// Number of common errors by pair; empty if no metric needs it.
    both_wrong: Vec<u64>,
    /// Number of equal predictions by pair; empty if no metric needs it.
    equal: Vec<u64>,
    /// Cells of the class table by pair, in ascending order; empty if no metric needs it.
    tables: Vec<Vec<Cell>>,
    always_wrong: u64,
    ever_wrong: u64,
    /// Samples that only one run gets right or wrong, by run.
    alone: Vec<LoneCounts>,
}

/// Largest number of samples. Up to 2^48, counts are exact as `f64` (below 2^53), totals over fewer than 65,536 runs
/// fit into `u64`, and products of two counts into `i128`.
const MAX_SAMPLES: u64 = 1 << 48;

impl Default for PairwiseAccumulator {
    /// A state for all metrics, with [`EmptyUnion::Undefined`].
    fn default() -> Self {
        Self::empty(&Pairwise::new())
    }
}

impl PairwiseAccumulator {
    /// Creates a state without samples for the metrics of these options. It always counts with the fastest instruction
    /// set of the machine, because a state may move to another machine.
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

    /// Number of runs; 0 before the first block.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.totals.n_runs()
    }

    /// Number of samples so far.
    #[must_use]
    pub fn n_samples(&self) -> u64 {
        self.totals.n_samples
    }

    /// Adds a block of `m` samples with labels of any type: `(k, m)` predictions and `(m,)` true labels. A block
    /// without samples changes nothing.
    ///
    /// # Errors
    /// `ShapeMismatch` if the number of runs differs from earlier blocks; otherwise as [`PackedRuns::new`], and as
    /// [`merge`](Accumulator::merge) for too many samples. The state is unchanged then.
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
        // A block is counted as a state of its own and merged like any other, so that results cannot depend on how
        // samples were divided into blocks and states.
        let packed = PackedRuns::new(&self.metrics, predictions, labels)?;
        let block = self.count(&packed);
        self.merge(block)
    }

    /// Counts the state of one block.
    fn count(&self, packed: &PackedRuns) -> Self {
        let k = packed.n_runs();
        let needs = PairNeeds::new(&self.metrics);
        let (always_wrong, ever_wrong, alone) = ErrorSets::new(packed).overlap_counts();
        let n_pairs_if = |is_needed: bool| if is_needed { n_pairs(k) } else { 0 };
        let mut both_wrong = vec![0; n_pairs_if(needs.errors)];
        let mut equal = vec![0; n_pairs_if(needs.equal)];
        let mut tables = vec![Vec::new(); n_pairs_if(needs.tables)];
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

    /// Checks that another state can be added.
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
        if n_samples > MAX_SAMPLES {
            return Err(Error::parameter(input::SAMPLES, n_samples, "2^48 at most"));
        }
        Ok(())
    }

    /// Adds the counts of a state with the same class codes.
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
        // Sorting brings the two counts of a common cell next to each other, and keeps tables in one order for
        // comparison.
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

    /// Changes the class codes to those of `classes`, a superset of the current classes with fewer than 2^32 labels.
    fn recode(&mut self, classes: &[i64]) {
        if self.classes == classes {
            return;
        }
        let new_codes: Vec<u32> = self
            .classes
            .iter()
            .map(|label| classes.partition_point(|class| class < label) as u32)
            .collect();
        for counts in &mut self.totals.class_counts {
            let mut wider = vec![0; classes.len()];
            for (&code, &count) in new_codes.iter().zip(counts.iter()) {
                wider[code as usize] = count;
            }
            *counts = wider;
        }
        // Codes stay in the same order, so that cells stay sorted.
        for cell in self.tables.iter_mut().flatten() {
            cell.row = new_codes[cell.row as usize];
            cell.column = new_codes[cell.column as usize];
        }
        self.classes = classes.to_vec();
    }

    /// Evaluates each metric for all pairs.
    fn values(&self) -> Result<Vec<(PairMetric, Vec<Option<f64>>)>> {
        let evaluation = Evaluation {
            totals: &self.totals,
            empty_union: self.empty_union,
        };
        let runs: Vec<(usize, usize)> = pairs(self.n_runs()).collect();
        let values_by_pair = parallel::try_map(runs.len(), |at| {
            let (first, second) = runs[at];
            // Vectors of counts that no metric needs are empty.
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
        let values_of = |(m, &metric): (usize, &PairMetric)| {
            let values = values_by_pair.iter().map(|values| values[m]);
            (metric, values.collect())
        };
        Ok(self.metrics.iter().enumerate().map(values_of).collect())
    }
}

/// Owned counts of one pair.
struct OwnedCounts {
    /// Index of the pair in the order of [`pairs`].
    index: usize,
    both_wrong: u64,
    equal: u64,
    cells: Vec<Cell>,
}

/// Counts all pairs of a block, tile by tile.
fn count_pairs(packed: &PackedRuns, needs: PairNeeds) -> Vec<Vec<OwnedCounts>> {
    let k = packed.n_runs();
    let tiles = Tile::cover(k, parallel::threads());
    parallel::map(tiles.len(), |tile| {
        let mut kept = Vec::with_capacity(tiles[tile].pairs().count());
        let keep = |pair: PairCounts<'_>| {
            let mut cells = pair.cells.to_vec();
            cells.sort_unstable();
            kept.push(OwnedCounts {
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

/// Batches are `(k, m)` predictions and `(m,)` labels as `i64`; [`PairwiseAccumulator::update_labels`] takes any label
/// type.
impl Accumulator for PairwiseAccumulator {
    type Batch<'a> = (ArrayView2<'a, i64>, ArrayView1<'a, i64>);
    type Output = StreamedReproducibility;

    fn update(&mut self, (predictions, labels): Self::Batch<'_>) -> Result<()> {
        self.update_labels(predictions, &labels.to_vec())
    }

    /// Adds the state of other samples of the same runs.
    ///
    /// # Errors
    /// `InvalidParameter` if the options of the two states differ or they have more than 2⁴⁸ samples together,
    /// `ShapeMismatch` if their numbers of runs differ. The state is unchanged then.
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

    /// Evaluates the metrics for all samples so far. The state can be updated further.
    ///
    /// # Errors
    /// `Empty` without samples, `OutOfDomain` for a pair without errors under [`EmptyUnion::Error`], `InvalidParameter`
    /// for a metric whose formula returns NaN or an infinite value.
    fn finish(&self) -> Result<StreamedReproducibility> {
        let k = self.n_runs();
        if k == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        // Agreement counts ordered pairs of runs.
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
        stored.check(MAX_SAMPLES)?;
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
