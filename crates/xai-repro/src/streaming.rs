//! Samples that arrive in blocks.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::{Accumulator, Error, Interval, Label, Result, Summary, parallel};

use crate::agreement::Agreement;
use crate::contingency::Cell;
use crate::error_sets::{Alone, ErrorSets, accuracies, leave_one_out};
use crate::packed_runs::{PackedRuns, RunTotals, Wanted};
use crate::pair_tiles::{PairCounts, Tile, TileBuffers, count_tile};
use crate::pairwise::{Evaluation, PairTable, pair_index};
use crate::run_interval::{PairStatistic, RunInterval};
use crate::{EmptyUnion, InstructionSet, PairMetric};

/// The pairwise metrics of `k` runs as a state that blocks of samples fold into.
///
/// A block is the predictions of *all* runs for some samples, `(k, any)`, with those samples' labels:
/// columns of a `(k, n)` array, in any pieces and any order. The state is the counts of every pair, so
/// states of different samples add up, on one machine or several, and the result is that of all samples
/// at once to the last bit. Class tables (Cramér's V, mutual information) are kept by the cells that
/// occur; where neither is asked for, a pair costs two counters.
///
/// ```
/// use ndarray::{Axis, array};
/// use xai_repro::{PairMetric, PairwiseAccumulator, PairwiseReproducibility};
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let labels = [0, 1, 1, 0];
/// let (mut left, mut right) = (PairwiseAccumulator::new(), PairwiseAccumulator::new());
/// left.fold(predictions.slice_axis(Axis(1), (..1).into()), &labels[..1])?;
/// right.fold(predictions.slice_axis(Axis(1), (1..).into()), &labels[1..])?;
/// right.combine(left)?;
/// let streamed = right.result()?;
/// let at_once = PairwiseReproducibility::from_predictions(predictions.view(), &labels)?;
/// assert_eq!(streamed.pairs(PairMetric::PaKappa), at_once.pairs(PairMetric::PaKappa));
/// assert_eq!(streamed.n_always_wrong, 0);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Unchecked"))]
pub struct PairwiseAccumulator {
    metrics: Vec<PairMetric>,
    empty_union: EmptyUnion,
    /// The labels that occur, ascending; their places are the codes below.
    classes: Vec<i64>,
    totals: RunTotals,
    /// What pairs share, pairs in order; empty where it is not wanted.
    both_wrong: Vec<u64>,
    equal: Vec<u64>,
    /// Cells ascending.
    tables: Vec<Vec<Cell>>,
    always_wrong: u64,
    ever_wrong: u64,
    alone: Vec<Alone>,
}

/// The metrics of all samples that were folded into a [`PairwiseAccumulator`].
///
/// Pairs are in the order (0, 1), (0, 2), …, (1, 2), ….
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct StreamedReproducibility {
    pairs: PairTable,
    /// The number of samples.
    pub n_samples: u64,
    /// Each run's accuracy, in [0, 1].
    pub accuracy: Vec<f64>,
    /// The number of samples that every run gets wrong.
    pub n_always_wrong: u64,
    /// The number of samples that at least one run gets wrong.
    pub n_ever_wrong: u64,
    /// For each run the error consistency of all the others at once, as
    /// [`ErrorSets::leave_one_out_consistency`].
    pub leave_one_out_consistency: Vec<Option<f64>>,
    /// The agreement of all runs at once; `None` where no metric of agreement was asked for.
    pub agreement: Option<Agreement>,
}

/// So many samples keep every count and product of counts within its integer.
const MOST_SAMPLES: u64 = 1 << 48;

impl Default for PairwiseAccumulator {
    fn default() -> Self {
        Self::new()
    }
}

impl PairwiseAccumulator {
    /// A state for all metrics, an empty union undefined.
    #[must_use]
    pub fn new() -> Self {
        Self {
            metrics: PairMetric::ALL.to_vec(),
            empty_union: EmptyUnion::default(),
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

    /// A state for these metrics alone, without what was folded in.
    #[must_use]
    pub fn metrics(self, metrics: &[PairMetric]) -> Self {
        Self {
            metrics: metrics.to_vec(),
            empty_union: self.empty_union,
            ..Self::new()
        }
    }

    /// What the local error consistency of two runs without errors is.
    #[must_use]
    pub fn empty_union(mut self, empty_union: EmptyUnion) -> Self {
        self.empty_union = empty_union;
        self
    }

    /// The number of runs; 0 before the first block.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.totals.n_wrong.len()
    }

    /// The number of samples so far.
    #[must_use]
    pub fn n_samples(&self) -> u64 {
        self.totals.n_samples
    }

    /// Folds in a block: `(k, m)` predictions and `(m,)` true labels of `m` samples. A block without
    /// samples changes nothing.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when the block has another number of runs than those before, or not one
    /// label a sample; else as [`PackedRuns::for_metrics`]. The state is unchanged then.
    pub fn fold<L: Label, M: Label>(
        &mut self,
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<()> {
        if predictions.ncols() == 0 && labels.is_empty() {
            return Ok(());
        }
        if self.n_runs() > 0 && predictions.nrows() != self.n_runs() {
            let expected = [self.n_runs(), predictions.ncols()];
            return Err(Error::shape("predictions", &expected, predictions.shape()));
        }
        let packed = PackedRuns::for_metrics(&self.metrics, predictions, labels)?;
        let block = self.count(&packed);
        self.combine(block)
    }

    /// The state of one block.
    fn count(&self, packed: &PackedRuns) -> Self {
        let k = packed.n_runs();
        let n_pairs = k * (k - 1) / 2;
        let wanted = Wanted::by(&self.metrics);
        let (always_wrong, ever_wrong, alone) = ErrorSets::of_packed(packed).overlap_counts();
        let if_wanted = |is: bool| if is { n_pairs } else { 0 };
        let mut state = Self {
            metrics: self.metrics.clone(),
            empty_union: self.empty_union,
            classes: packed.classes().to_vec(),
            totals: packed.totals.clone(),
            both_wrong: vec![0; if_wanted(wanted.errors)],
            equal: vec![0; if_wanted(wanted.equal)],
            tables: vec![Vec::new(); if_wanted(wanted.tables)],
            always_wrong,
            ever_wrong,
            alone,
        };
        let tiles = Tile::cover(k, parallel::threads());
        let of_tiles = parallel::map(tiles.len(), |tile| {
            let mut counts = Vec::with_capacity(tiles[tile].pairs().count());
            count_tile(
                packed,
                &tiles[tile],
                wanted,
                InstructionSet::fastest(),
                &mut TileBuffers::default(),
                |pair| {
                    let mut cells = pair.cells.to_vec();
                    cells.sort_unstable();
                    let at = pair_index(k, pair.first, pair.second);
                    counts.push((at, pair.both_wrong, pair.equal, cells));
                },
            );
            counts
        });
        for (at, both_wrong, equal, cells) in of_tiles.into_iter().flatten() {
            if wanted.errors {
                state.both_wrong[at] = both_wrong;
            }
            if wanted.equal {
                state.equal[at] = equal;
            }
            if wanted.tables {
                state.tables[at] = cells;
            }
        }
        state
    }

    /// Adds a state of other samples.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when the two were set up differently or hold more than 2⁴⁸ samples
    /// together, [`Error::ShapeMismatch`] for another number of runs. The state is unchanged then.
    pub fn combine(&mut self, mut other: Self) -> Result<()> {
        if self.metrics != other.metrics {
            let names: Vec<&str> = other.metrics.iter().map(|metric| metric.name()).collect();
            return Err(Error::parameter(
                "metrics",
                names.join(", "),
                "the metrics of the state it is merged into, in the same order",
            ));
        }
        if self.empty_union != other.empty_union {
            return Err(Error::parameter(
                "empty_union",
                format!("{:?}", other.empty_union),
                "the policy of the state it is merged into",
            ));
        }
        if other.n_runs() == 0 {
            return Ok(());
        }
        if self.n_runs() == 0 {
            *self = other;
            return Ok(());
        }
        if self.n_runs() != other.n_runs() {
            return Err(Error::shape("runs", &[self.n_runs()], &[other.n_runs()]));
        }
        let n_samples = self.totals.n_samples + other.totals.n_samples;
        if n_samples > MOST_SAMPLES {
            return Err(Error::parameter("samples", n_samples, "2^48 at most"));
        }
        let mut classes = [self.classes.as_slice(), &other.classes].concat();
        classes.sort_unstable();
        classes.dedup();
        self.recode(&classes);
        other.recode(&classes);
        self.totals.n_samples = n_samples;
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
        Ok(())
    }

    /// Changes the codes to the places of the labels among more classes.
    #[allow(clippy::cast_possible_truncation)] // fewer than 2^32 classes
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

    /// The metrics of all samples so far; the state can go on.
    ///
    /// # Errors
    /// [`Error::Empty`] without samples, [`Error::OutOfDomain`] for a pair without errors under
    /// [`EmptyUnion::Error`].
    pub fn result(&self) -> Result<StreamedReproducibility> {
        let k = self.n_runs();
        if k == 0 {
            return Err(Error::empty("samples"));
        }
        let evaluation = Evaluation {
            totals: &self.totals,
            empty_union: self.empty_union,
        };
        let runs: Vec<(usize, usize)> = (0..k)
            .flat_map(|i| (i + 1..k).map(move |j| (i, j)))
            .collect();
        let of_pairs = parallel::try_map(runs.len(), |at| {
            let pair = PairCounts {
                first: runs[at].0,
                second: runs[at].1,
                both_wrong: self.both_wrong.get(at).copied().unwrap_or_default(),
                equal: self.equal.get(at).copied().unwrap_or_default(),
                cells: self.tables.get(at).map_or(&[], Vec::as_slice),
            };
            let metrics = self.metrics.iter();
            metrics
                .map(|&metric| evaluation.value(metric, &pair))
                .collect::<Result<Vec<_>>>()
        })?;
        let mut pairs = PairTable::undefined(k, &self.metrics, self.empty_union);
        for (m, &metric) in self.metrics.iter().enumerate() {
            let values: Vec<Option<f64>> = of_pairs.iter().map(|values| values[m]).collect();
            pairs.set(metric, 0, &values);
        }
        let agreeing = self.equal.iter().map(|&equal| 2 * u128::from(equal)).sum();
        Ok(StreamedReproducibility {
            pairs,
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
                .then(|| Agreement::of_counts(&self.totals, agreeing)),
        })
    }
}

fn add(counts: &mut [u64], more: &[u64]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}

/// Labels as `i64`; [`PairwiseAccumulator::fold`] takes any.
impl Accumulator for PairwiseAccumulator {
    type Batch<'a> = (ArrayView2<'a, i64>, ArrayView1<'a, i64>);
    type Output = StreamedReproducibility;

    fn update(&mut self, (predictions, labels): Self::Batch<'_>) -> Result<()> {
        self.fold(predictions, &labels.to_vec())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.combine(other)
    }

    fn finish(&self) -> Result<StreamedReproducibility> {
        self.result()
    }
}

impl StreamedReproducibility {
    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.pairs.n_runs()
    }

    /// The value of a metric on every pair, undefined ones as `None`; empty for a metric that was
    /// not asked for.
    #[must_use]
    pub fn pairs(&self, metric: PairMetric) -> &[Option<f64>] {
        self.pairs.pairs(metric)
    }

    /// The distribution of a metric over the pairs.
    #[must_use]
    pub fn summary(&self, metric: PairMetric) -> Summary {
        self.pairs.summary(metric)
    }

    /// An interval for the mean of a metric, as
    /// [`PairwiseReproducibility::interval`](crate::PairwiseReproducibility::interval).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a level outside (0, 1).
    pub fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.pairs.interval(metric, level)
    }

    /// An interval for any statistic of a metric, as
    /// [`PairwiseReproducibility::interval_of`](crate::PairwiseReproducibility::interval_of).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a level outside (0, 1), a quantile outside [0, 1] or no
    /// replicates.
    pub fn interval_of(
        &self,
        metric: PairMetric,
        statistic: PairStatistic,
        method: RunInterval,
        level: f64,
    ) -> Result<Option<Interval>> {
        self.pairs.interval_of(metric, statistic, method, level)
    }
}

#[cfg(feature = "serde")]
mod stored {
    use super::{
        Alone, Cell, EmptyUnion, Error, MOST_SAMPLES, PairMetric, PairwiseAccumulator, RunTotals,
        Wanted,
    };

    /// A state as it is read, before its counts are known to belong together.
    #[derive(serde::Deserialize)]
    pub(super) struct Unchecked {
        metrics: Vec<PairMetric>,
        empty_union: EmptyUnion,
        classes: Vec<i64>,
        totals: RunTotals,
        both_wrong: Vec<u64>,
        equal: Vec<u64>,
        tables: Vec<Vec<Cell>>,
        always_wrong: u64,
        ever_wrong: u64,
        alone: Vec<Alone>,
    }

    impl TryFrom<Unchecked> for PairwiseAccumulator {
        type Error = Error;

        fn try_from(stored: Unchecked) -> Result<Self, Error> {
            stored.check().map_err(|why| Error::Corrupt {
                what: "state of pairwise metrics".into(),
                why: why.into(),
            })?;
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

    impl Unchecked {
        /// What does not belong together, if anything.
        fn check(&self) -> Result<(), &'static str> {
            let holds = |is: bool, why| if is { Ok(()) } else { Err(why) };
            let RunTotals {
                n_samples: n,
                n_wrong,
                class_counts,
            } = &self.totals;
            let (n, k) = (*n, n_wrong.len());
            let wanted = Wanted::by(&self.metrics);
            holds(!self.metrics.is_empty(), "no metrics")?;
            holds(
                n <= MOST_SAMPLES && k <= 1 << 16,
                "too many samples or runs",
            )?;
            holds((k == 0) == (n == 0) && k != 1, "runs without samples")?;
            let n_pairs = k * k.saturating_sub(1) / 2;
            let lengths = [
                (self.both_wrong.len(), wanted.errors),
                (self.equal.len(), wanted.equal),
                (self.tables.len(), wanted.tables),
            ];
            let right = |&(length, is): &(usize, bool)| length == if is { n_pairs } else { 0 };
            holds(lengths.iter().all(right), "not one count a pair")?;
            holds(self.alone.len() == k, "not one entry a run")?;
            holds(
                n_wrong.iter().all(|&wrong| wrong <= n),
                "more errors than samples",
            )?;
            holds(
                self.always_wrong <= self.ever_wrong && self.ever_wrong <= n,
                "more errors than samples",
            )?;
            let within = |alone: &Alone| alone.right <= n && alone.wrong <= self.ever_wrong;
            holds(self.alone.iter().all(within), "more errors than samples")?;
            holds(
                self.classes.is_sorted_by(|a, b| a < b),
                "classes do not ascend",
            )?;
            let by_class = wanted.equal || wanted.tables;
            holds(
                class_counts.len() == if by_class { k } else { 0 },
                "not one entry a run",
            )?;
            for counts in class_counts {
                let total = counts.iter().try_fold(0u64, |sum, &x| sum.checked_add(x));
                holds(
                    counts.len() == self.classes.len() && total == Some(n),
                    "class counts that are not those of the samples",
                )?;
            }
            holds(
                self.equal.iter().all(|&equal| equal <= n),
                "more agreement than samples",
            )?;
            let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
            for (at, (i, j)) in pairs.enumerate() {
                if let Some(&both) = self.both_wrong.get(at) {
                    let (a, b) = (n_wrong[i], n_wrong[j]);
                    holds(
                        both <= a.min(b) && a + b - both <= n,
                        "errors of a pair that no runs have",
                    )?;
                }
                if let Some(cells) = self.tables.get(at) {
                    holds(
                        self.has_totals(cells, &class_counts[i], &class_counts[j]),
                        "a class table without the totals of its runs",
                    )?;
                }
            }
            Ok(())
        }

        fn has_totals(&self, cells: &[Cell], rows: &[u64], columns: &[u64]) -> bool {
            let c = self.classes.len();
            let (mut of_rows, mut of_columns) = (vec![0u64; c], vec![0u64; c]);
            for cell in cells {
                let (row, column) = (cell.row as usize, cell.column as usize);
                if row >= c || column >= c || cell.count == 0 || cell.count > self.totals.n_samples
                {
                    return false;
                }
                of_rows[row] = of_rows[row].saturating_add(cell.count);
                of_columns[column] = of_columns[column].saturating_add(cell.count);
            }
            let place = |cell: &Cell| (cell.row, cell.column);
            cells.is_sorted_by(|a, b| place(a) < place(b))
                && of_rows == rows
                && of_columns == columns
        }
    }
}
#[cfg(feature = "serde")]
use stored::Unchecked;
