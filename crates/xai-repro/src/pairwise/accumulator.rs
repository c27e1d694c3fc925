//! Accumulation of pair metrics over samples that arrive in blocks.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::simd::InstructionSet;
use xai_core::tensor::check_shape;
use xai_core::{Accumulator, Error, Label, Result, parallel};

use crate::across_runs::agreement::Agreement;
use crate::across_runs::error_sets::{ErrorSets, LoneCounts, accuracies, leave_one_out};
use crate::counting::pair_tiles::{PairCounts, Tile, TileBuffers, count_tile, n_pairs, pair_index};
use crate::input;
use crate::packed::packed_runs::{PackedRuns, RunTotals};
use crate::pair_metric::definition::{PairMetric, PairNeeds};
use crate::pairwise::counts_by_pair::{CountsByPair, MAX_RUNS, MAX_SAMPLES};
use crate::pairwise::evaluate::Evaluation;
use crate::pairwise::options::{EmptyUnion, Pairwise};
use crate::pairwise::packed_tables::{PackedTables, encode};
use crate::pairwise::reproducibility::{PairTable, StreamedReproducibility};
#[cfg(feature = "serde")]
use crate::pairwise::stored_state::StoredState;

/// State of the pairwise metrics of `k` runs, updated with blocks of samples.
///
/// A block consists of the predictions of *all* runs for some samples and the labels of these samples, that is, any
/// columns of a `(k, n)` array. The state consists of counts for every pair, so that states of different samples can be
/// merged, also from several machines. The result has the same bits as for all samples at once.
///
/// All metrics but those of class tables need at most two counts of 4 bytes per pair (8 bytes once a count exceeds 32
/// bits). Metrics of class tables (Cramér's V, mutual information) also store the cells that occur, one or two bytes
/// each while their counts are small. The result takes 16 bytes per pair and metric;
/// [`finish_metric`](Self::finish_metric) evaluates one metric at a time.
///
/// # Large data
///
/// Predictions are packed into bits, and one pass over the bits of a pair gives all its metrics. For thousands of runs
/// that fit into memory, pack them once, if necessary one at a time ([`PackedRunsBuilder`](crate::PackedRunsBuilder)),
/// and compute only summaries ([`Pairwise::summarize`]). Error metrics then need one bit of memory per sample and run,
/// and nothing is stored per pair. For samples in blocks or on several machines, update this state. The results have
/// the same bits either way.
///
/// # Example
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
    both_wrong: CountsByPair,
    /// Number of equal predictions by pair; empty if no metric needs it.
    equal: CountsByPair,
    /// Class tables; empty if no metric needs them.
    tables: PackedTables,
    always_wrong: u64,
    ever_wrong: u64,
    /// Samples that only one run gets right or wrong, by run.
    alone: Vec<LoneCounts>,
}

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
            both_wrong: CountsByPair::zeros(0),
            equal: CountsByPair::zeros(0),
            tables: PackedTables::default(),
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
    /// `ShapeMismatch` if the number of runs differs from earlier blocks, `InvalidParameter` for more than 65,535 runs;
    /// otherwise as [`PackedRuns::new`], and as [`merge`](Accumulator::merge) for too many samples. The state is
    /// unchanged then.
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
        if predictions.nrows() > MAX_RUNS {
            let expected = "65,535 at most";
            return Err(Error::parameter(input::RUNS, predictions.nrows(), expected));
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
        let zeros_if =
            |is_needed: bool| CountsByPair::zeros(if is_needed { n_pairs(k) } else { 0 });
        let mut block = Self {
            metrics: self.metrics.clone(),
            empty_union: self.empty_union,
            classes: packed.classes().to_vec(),
            totals: packed.totals.clone(),
            both_wrong: zeros_if(needs.errors),
            equal: zeros_if(needs.equal),
            tables: PackedTables::new(if needs.tables { k } else { 0 }),
            always_wrong,
            ever_wrong,
            alone,
        };
        let tiles = Tile::cover(k, parallel::threads());
        // A limited number of tiles at a time, so that few counts are in memory twice.
        for tiles in tiles.chunks(16 * parallel::threads()) {
            let counts_by_tile = parallel::map(tiles.len(), |tile| {
                TileCounts::count(packed, &tiles[tile], needs)
            });
            for (tile, counts) in tiles.iter().zip(counts_by_tile) {
                block.add_tile(tile, &counts);
            }
        }
        block.tables.shrink_to_fit();
        block
    }

    /// Adds the counts of a tile. Tiles with the same rows must be added in ascending order of their columns.
    fn add_tile(&mut self, tile: &Tile, counts: &TileCounts) {
        let k = self.n_runs();
        for (at, (first, second)) in tile.pairs().enumerate() {
            let pair = pair_index(k, first, second);
            if let Some(&both_wrong) = counts.both_wrong.get(at) {
                self.both_wrong.add(pair, both_wrong);
            }
            if let Some(&equal) = counts.equal.get(at) {
                self.equal.add(pair, equal);
            }
        }
        for (first, tables) in tile.rows.clone().zip(&counts.tables) {
            self.tables.append(first, tables);
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

    /// Adds the counts of a state with the same class codes, except the class tables.
    fn add_counts(&mut self, other: &Self) {
        self.totals.n_samples += other.totals.n_samples;
        self.always_wrong += other.always_wrong;
        self.ever_wrong += other.ever_wrong;
        add(&mut self.totals.n_wrong, &other.totals.n_wrong);
        self.both_wrong.merge(&other.both_wrong);
        self.equal.merge(&other.equal);
        let runs = self.totals.class_counts.iter_mut();
        for (mine, theirs) in runs.zip(&other.totals.class_counts) {
            add(mine, theirs);
        }
        for (mine, theirs) in self.alone.iter_mut().zip(&other.alone) {
            mine.right += theirs.right;
            mine.wrong += theirs.wrong;
        }
    }

    /// Changes the class codes to those of `classes`, a superset of the current classes with fewer than 2^32 labels,
    /// except in the class tables. Returns the new code of each class.
    fn recode(&mut self, classes: &[i64]) -> Vec<u32> {
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
        self.classes = classes.to_vec();
        new_codes
    }

    /// Evaluates one of the metrics for all samples so far.
    ///
    /// The values of all pairs take 16 bytes per metric: for 2,000 runs, 32 MB here and 320 MB in a result of
    /// [`finish`](Accumulator::finish) with ten metrics.
    ///
    /// # Errors
    /// As [`finish`](Accumulator::finish), and `InvalidParameter` for a metric that is not one of the options.
    pub fn finish_metric(&self, metric: PairMetric) -> Result<StreamedReproducibility> {
        if !self.metrics.contains(&metric) {
            let expected = "one of the accumulated metrics";
            return Err(Error::parameter(input::METRIC, metric, expected));
        }
        self.result(&[metric])
    }

    fn result(&self, metrics: &[PairMetric]) -> Result<StreamedReproducibility> {
        let k = self.n_runs();
        if k == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        // Agreement counts ordered pairs of runs.
        let agreeing = self.equal.iter().map(|equal| 2 * u128::from(equal)).sum();
        Ok(StreamedReproducibility {
            pairs: PairTable {
                n_runs: k,
                empty_union: self.empty_union,
                values: self.values(metrics)?,
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
            agreement: (self.equal.len() > 0)
                .then(|| Agreement::from_counts(&self.totals, agreeing)),
        })
    }

    /// Evaluates metrics for all pairs.
    fn values(&self, metrics: &[PairMetric]) -> Result<Vec<(PairMetric, Vec<Option<f64>>)>> {
        let k = self.n_runs();
        let with_capacity = |&metric: &PairMetric| (metric, Vec::with_capacity(n_pairs(k)));
        let mut values: Vec<(PairMetric, Vec<Option<f64>>)> =
            metrics.iter().map(with_capacity).collect();
        // A limited number of first runs at a time, so that few values are in memory twice.
        let n_at_once = 16 * parallel::threads();
        for start in (0..k).step_by(n_at_once) {
            let n_first_runs = n_at_once.min(k - start);
            let rows =
                parallel::try_map(n_first_runs, |at| self.values_of_first(start + at, metrics))?;
            for row in rows {
                for ((_, values), of_row) in values.iter_mut().zip(row) {
                    values.extend(of_row);
                }
            }
        }
        Ok(values)
    }

    /// Evaluates metrics for the pairs of a first run.
    fn values_of_first(
        &self,
        first: usize,
        metrics: &[PairMetric],
    ) -> Result<Vec<Vec<Option<f64>>>> {
        let evaluation = Evaluation {
            totals: &self.totals,
            empty_union: self.empty_union,
        };
        let k = self.n_runs();
        let mut values = vec![Vec::with_capacity(k - first - 1); metrics.len()];
        let (mut tables, mut cells) = (self.tables.pairs_of(first), Vec::new());
        for second in first + 1..k {
            tables.read(&mut cells);
            let at = pair_index(k, first, second);
            // Counts that no metric needs are not stored.
            let pair = PairCounts {
                first,
                second,
                both_wrong: self.both_wrong.get(at).unwrap_or_default(),
                equal: self.equal.get(at).unwrap_or_default(),
                cells: &cells,
            };
            for (values, &metric) in values.iter_mut().zip(metrics) {
                values.push(evaluation.value(metric, &pair)?);
            }
        }
        Ok(values)
    }
}

/// Counts of the pairs of a tile, row by row. Counts that no metric needs are left out.
struct TileCounts {
    both_wrong: Vec<u64>,
    equal: Vec<u64>,
    /// Encoded class tables by row.
    tables: Vec<Vec<u8>>,
}

impl TileCounts {
    fn count(packed: &PackedRuns, tile: &Tile, needs: PairNeeds) -> Self {
        let mut counts = Self {
            both_wrong: Vec::new(),
            equal: Vec::new(),
            tables: vec![Vec::new(); if needs.tables { tile.rows.len() } else { 0 }],
        };
        let mut cells = Vec::new();
        let keep = |pair: PairCounts<'_>| {
            if needs.errors {
                counts.both_wrong.push(pair.both_wrong);
            }
            if needs.equal {
                counts.equal.push(pair.equal);
            }
            if needs.tables {
                cells.clear();
                cells.extend_from_slice(pair.cells);
                cells.sort_unstable();
                encode(&cells, &mut counts.tables[pair.first - tile.rows.start]);
            }
        };
        let (fastest, buffers) = (InstructionSet::fastest(), &mut TileBuffers::default());
        count_tile(packed, tile, needs, fastest, buffers, keep);
        counts
    }
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
        let (codes, other_codes) = (self.recode(&classes), other.recode(&classes));
        self.add_counts(&other);
        self.tables.merge(other.tables, &codes, &other_codes);
        Ok(())
    }

    /// Evaluates the metrics for all samples so far. The state can be updated further.
    ///
    /// # Errors
    /// `Empty` without samples, `OutOfDomain` for a pair without errors under [`EmptyUnion::Error`], `InvalidParameter`
    /// for a metric whose formula returns NaN or an infinite value.
    fn finish(&self) -> Result<StreamedReproducibility> {
        self.result(&self.metrics)
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredState> for PairwiseAccumulator {
    type Error = Error;

    fn try_from(stored: StoredState) -> Result<Self> {
        stored.check()?;
        let k = if stored.tables.len() > 0 {
            stored.totals.n_runs()
        } else {
            0
        };
        Ok(Self {
            metrics: stored.metrics,
            empty_union: stored.empty_union,
            classes: stored.classes,
            totals: stored.totals,
            both_wrong: stored.both_wrong,
            equal: stored.equal,
            tables: stored.tables.split(k),
            always_wrong: stored.always_wrong,
            ever_wrong: stored.ever_wrong,
            alone: stored.alone,
        })
    }
}
