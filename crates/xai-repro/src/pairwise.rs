//! Every metric on every pair of runs.

use ndarray::ArrayView2;
use xai_core::{Error, Interval, Label, Result, Summary, parallel};

use crate::contingency::{ErrorTable, cohens_kappa, cramers_v, normalized_mutual_information};
use crate::packed_runs::{PackedRuns, RunTotals, Wanted};
use crate::pair_tiles::{PairCounts, Tile, TileBuffers, count_tile};
use crate::run_interval::{PairStatistic, PairValues, RunInterval, interval_over_runs};
use crate::spread::PairSpread;
use crate::{EmptyUnion, ErrorSets, InstructionSet, PairMetric};

/// The pairwise metrics of `k` runs over `n` samples.
///
/// Pairs are in the order (0, 1), (0, 2), …, (1, 2), …. See the [crate's page](crate) for an
/// example.
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseReproducibility {
    errors: ErrorSets,
    pairs: PairTable,
}

/// The value of each metric on each pair.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(crate) struct PairTable {
    n_runs: usize,
    empty_union: EmptyUnion,
    /// By metric, in the order of [`PairMetric::ALL`]; empty for a metric not asked for.
    values: Vec<Vec<Option<f64>>>,
}

/// The summaries of the pairwise metrics alone, without the values of the pairs: memory grows with
/// the runs, not with their pairs.
///
/// Mean, deviation, extremes and intervals are those of [`PairwiseReproducibility`] to the last bit.
/// Quantiles need all values, so they are `None` here; ask [`PairwiseReproducibility`] for them.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{PackedRuns, PairMetric, PairwiseReproducibility};
/// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
/// let packed = PackedRuns::for_metrics(&PairMetric::OF_ERRORS, predictions.view(), &[0, 1, 1, 0])?;
/// let builder = PairwiseReproducibility::builder().metrics(&PairMetric::OF_ERRORS);
/// let summaries = builder.summarize(&packed)?;
/// let local = summaries.summary(PairMetric::EcLocal).unwrap(); // of 1/3, 1/2, 0
/// assert!((local.mean.unwrap() - 5.0 / 18.0).abs() < 1e-15);
/// assert_eq!((local.min, local.max, local.median), (Some(0.0), Some(0.5), None));
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseSummaries {
    errors: ErrorSets,
    spreads: Vec<(PairMetric, PairSpread)>,
}

/// The choices of [`PairwiseReproducibility`].
#[derive(Debug, Clone, PartialEq)]
pub struct PairwiseReproducibilityBuilder {
    metrics: Vec<PairMetric>,
    empty_union: EmptyUnion,
    instruction_set: InstructionSet,
}

/// What a metric of a pair is taken from, beside the counts of the pair.
pub(crate) struct Evaluation<'a> {
    pub(crate) totals: &'a RunTotals,
    pub(crate) empty_union: EmptyUnion,
}

impl Evaluation<'_> {
    /// A metric of a pair.
    ///
    /// # Errors
    /// [`Error::OutOfDomain`] for an empty union under [`EmptyUnion::Error`].
    #[allow(clippy::cast_precision_loss)] // counts below 2^53
    pub(crate) fn value(&self, metric: PairMetric, pair: &PairCounts<'_>) -> Result<Option<f64>> {
        let n = self.totals.n_samples;
        let table = ErrorTable {
            both: pair.both_wrong,
            first: self.totals.n_wrong[pair.first],
            second: self.totals.n_wrong[pair.second],
            n_samples: n,
        };
        let classes = |run: usize| self.totals.class_counts[run].as_slice();
        let (first, second) = (pair.first, pair.second);
        Ok(match metric {
            PairMetric::EcLocal => match (table.local_consistency(), self.empty_union) {
                (Some(value), _) => Some(value),
                (None, EmptyUnion::Undefined | EmptyUnion::Drop) => None,
                (None, EmptyUnion::Zero) => Some(0.0),
                (None, EmptyUnion::One) => Some(1.0),
                (None, EmptyUnion::Error) => {
                    return Err(Error::out_of_domain(
                        "errors of the pair of runs",
                        &[first, second],
                        0.0,
                        "at least one error in either run; choose another EmptyUnion policy",
                    ));
                }
            },
            PairMetric::EcGlobal => Some(table.global_consistency()),
            PairMetric::EcAcc => Some(table.accuracy()),
            PairMetric::EcCorr => table.correlation(),
            PairMetric::EcMatthews => Some(table.correlation().unwrap_or(0.0)),
            PairMetric::PaAcc => Some(pair.equal as f64 / n as f64),
            PairMetric::PaDisagreement => Some((n - pair.equal) as f64 / n as f64),
            PairMetric::PaKappa => cohens_kappa(n, pair.equal, classes(first), classes(second)),
            PairMetric::PaCramersV => cramers_v(pair.cells, classes(first), classes(second)),
            PairMetric::PaNmi => {
                normalized_mutual_information(n, pair.cells, classes(first), classes(second))
            }
        })
    }

    /// Whether an undefined value is left out of the summary altogether.
    fn drops(&self, metric: PairMetric) -> bool {
        metric == PairMetric::EcLocal && self.empty_union == EmptyUnion::Drop
    }
}

/// Below this many blocks and planes over all pairs, threads cost more than they save: a tenth of a
/// millisecond of counting on one core.
const WORTH_THREADS: usize = 200_000;

impl PairwiseReproducibilityBuilder {
    /// Only these metrics; all by default.
    #[must_use]
    pub fn metrics(mut self, metrics: &[PairMetric]) -> Self {
        self.metrics = metrics.to_vec();
        self
    }

    /// What the local error consistency of two runs without errors is.
    #[must_use]
    pub fn empty_union(mut self, empty_union: EmptyUnion) -> Self {
        self.empty_union = empty_union;
        self
    }

    /// The instructions to count with; the fastest by default. The results do not depend on it.
    #[must_use]
    pub fn instruction_set(mut self, instruction_set: InstructionSet) -> Self {
        self.instruction_set = instruction_set;
        self
    }

    /// Takes the metrics of `(k, n)` predictions and `(n,)` true labels.
    ///
    /// # Errors
    /// [`Error::TooFew`] below two runs, [`Error::Empty`] without samples or metrics,
    /// [`Error::ShapeMismatch`] when there is not one label a sample, [`Error::OutOfDomain`] and
    /// [`Error::InvalidParameter`] for a label above `i64::MAX`, [`Error::OutOfDomain`] for a pair
    /// without errors under [`EmptyUnion::Error`].
    pub fn from_predictions<L: Label, M: Label>(
        &self,
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<PairwiseReproducibility> {
        self.from_packed(&PackedRuns::for_metrics(
            &self.metrics,
            predictions,
            labels,
        )?)
    }

    /// Takes the metrics of packed runs.
    ///
    /// # Errors
    /// [`Error::Empty`] without metrics, [`Error::InvalidParameter`] for a metric that the runs
    /// were not packed for, [`Error::OutOfDomain`] for a pair without errors under
    /// [`EmptyUnion::Error`].
    pub fn from_packed(&self, packed: &PackedRuns) -> Result<PairwiseReproducibility> {
        let k = packed.n_runs();
        let evaluation = self.evaluation(packed)?;
        let mut pairs = PairTable::undefined(k, &self.metrics, self.empty_union);
        let tiles = Tile::cover(k, parallel::threads());
        let of_tiles = self.map_tiles(packed, &tiles, |tile, buffers| {
            let n_pairs = tile.pairs().count();
            let mut of_tile = vec![Vec::with_capacity(n_pairs); self.metrics.len()];
            self.count(packed, tile, buffers, |pair| {
                for (values, &metric) in of_tile.iter_mut().zip(&self.metrics) {
                    values.push(evaluation.value(metric, pair)?);
                }
                Ok(())
            })?;
            Ok(of_tile)
        })?;
        for (tile, of_tile) in tiles.iter().zip(&of_tiles) {
            for (of_metric, &metric) in of_tile.iter().zip(&self.metrics) {
                let mut from = of_metric.as_slice();
                for row in tile.rows.clone() {
                    let columns = tile.columns.start.max(row + 1)..tile.columns.end;
                    let (of_row, rest) = from.split_at(columns.len());
                    from = rest;
                    if !columns.is_empty() {
                        pairs.set(metric, pair_index(k, row, columns.start), of_row);
                    }
                }
            }
        }
        Ok(PairwiseReproducibility {
            errors: ErrorSets::of_packed(packed),
            pairs,
        })
    }

    /// Summarises the metrics of packed runs without keeping the values of the pairs.
    ///
    /// # Errors
    /// As [`from_packed`](Self::from_packed).
    pub fn summarize(&self, packed: &PackedRuns) -> Result<PairwiseSummaries> {
        let k = packed.n_runs();
        let evaluation = self.evaluation(packed)?;
        let spread = || PairSpread::new(k);
        let mut spreads: Vec<(PairMetric, PairSpread)> = self
            .metrics
            .iter()
            .map(|&metric| (metric, spread()))
            .collect();
        let tiles = Tile::cover(k, parallel::threads());
        // Some tiles at a time: what is merged at once does not grow with the number of pairs.
        for tiles in tiles.chunks(16 * parallel::threads()) {
            let of_tiles = self.map_tiles(packed, tiles, |tile, buffers| {
                // A tile knows its own runs only: those of its rows, then those of its columns.
                let n_rows = tile.rows.len();
                let spread = PairSpread::new(n_rows + tile.columns.len());
                let mut of_tile = vec![spread; self.metrics.len()];
                self.count(packed, tile, buffers, |pair| {
                    let row = pair.first - tile.rows.start;
                    let column = n_rows + pair.second - tile.columns.start;
                    for (spread, &metric) in of_tile.iter_mut().zip(&self.metrics) {
                        let value = evaluation.value(metric, pair)?;
                        if value.is_some() || !evaluation.drops(metric) {
                            spread.add(row, column, value);
                        }
                    }
                    Ok(())
                })?;
                Ok(of_tile)
            })?;
            for (tile, of_tile) in tiles.iter().zip(&of_tiles) {
                let runs = tile.rows.clone().chain(tile.columns.clone());
                for ((_, spread), of_metric) in spreads.iter_mut().zip(of_tile) {
                    spread.merge(of_metric, runs.clone());
                }
            }
        }
        Ok(PairwiseSummaries {
            errors: ErrorSets::of_packed(packed),
            spreads,
        })
    }

    fn evaluation<'a>(&self, packed: &'a PackedRuns) -> Result<Evaluation<'a>> {
        if self.metrics.is_empty() {
            return Err(Error::empty("metrics"));
        }
        if let Some(metric) = self
            .metrics
            .iter()
            .find(|&&metric| !Wanted::by(&[metric]).within(packed.wanted))
        {
            return Err(Error::parameter(
                "metric",
                metric,
                "one that the runs were packed for; pack them for it too",
            ));
        }
        Ok(Evaluation {
            totals: &packed.totals,
            empty_union: self.empty_union,
        })
    }

    /// Counts the pairs of a tile, up to the first that is an error.
    fn count(
        &self,
        packed: &PackedRuns,
        tile: &Tile,
        buffers: &mut TileBuffers,
        mut each: impl FnMut(&PairCounts<'_>) -> Result<()>,
    ) -> Result<(), PairError> {
        let mut outcome = Ok(());
        let wanted = Wanted::by(&self.metrics);
        count_tile(
            packed,
            tile,
            wanted,
            self.instruction_set,
            buffers,
            |pair| {
                if outcome.is_ok() {
                    outcome = each(&pair).map_err(|error| PairError {
                        pair: (pair.first, pair.second),
                        error,
                    });
                }
            },
        );
        outcome
    }

    /// Maps tiles, in parallel where that pays; the error is that of the lowest pair.
    fn map_tiles<T: Send>(
        &self,
        packed: &PackedRuns,
        tiles: &[Tile],
        f: impl Fn(&Tile, &mut TileBuffers) -> Result<T, PairError> + Sync + Send,
    ) -> Result<Vec<T>> {
        let outcomes = if packed.cost_of_a_pair(Wanted::by(&self.metrics))
            * tiles.iter().map(|tile| tile.pairs().count()).sum::<usize>()
            < WORTH_THREADS
        {
            let mut buffers = TileBuffers::default();
            tiles.iter().map(|tile| f(tile, &mut buffers)).collect()
        } else {
            parallel::map(tiles.len(), |tile| {
                f(&tiles[tile], &mut TileBuffers::default())
            })
        };
        let mut values = Vec::with_capacity(outcomes.len());
        let mut lowest: Option<PairError> = None;
        for outcome in outcomes {
            match outcome {
                Ok(value) => values.push(value),
                Err(error) if lowest.as_ref().is_none_or(|low| error.pair < low.pair) => {
                    lowest = Some(error);
                }
                Err(_) => {}
            }
        }
        lowest.map_or(Ok(values), |error| Err(error.error))
    }
}

/// What is wrong with a pair, and with which.
struct PairError {
    pair: (usize, usize),
    error: Error,
}

/// Where a pair stands among all pairs of `k` runs.
pub(crate) fn pair_index(k: usize, first: usize, second: usize) -> usize {
    first * (2 * k - first - 1) / 2 + second - first - 1
}

impl PairTable {
    /// Undefined on all pairs of `k` runs.
    pub(crate) fn undefined(k: usize, metrics: &[PairMetric], empty_union: EmptyUnion) -> Self {
        let mut values = vec![Vec::new(); PairMetric::ALL.len()];
        for &metric in metrics {
            values[metric as usize] = vec![None; k * (k - 1) / 2];
        }
        Self {
            n_runs: k,
            empty_union,
            values,
        }
    }

    /// Sets the values of a metric from a pair on.
    pub(crate) fn set(&mut self, metric: PairMetric, from: usize, values: &[Option<f64>]) {
        self.values[metric as usize][from..from + values.len()].copy_from_slice(values);
    }

    pub(crate) fn pairs(&self, metric: PairMetric) -> &[Option<f64>] {
        &self.values[metric as usize]
    }

    pub(crate) fn n_runs(&self) -> usize {
        self.n_runs
    }

    pub(crate) fn summary(&self, metric: PairMetric) -> Summary {
        let counted = self.pairs(metric).iter().copied();
        let counted = counted.filter(|value| value.is_some() || !self.drops(metric));
        // Values are ratios of counts, so they are finite.
        let quantiles = Summary::of(counted).unwrap_or_default();
        Summary {
            q25: quantiles.q25,
            median: quantiles.median,
            q75: quantiles.q75,
            ..self.spread(metric).spread.summary()
        }
    }

    pub(crate) fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.spread(metric).interval(level)
    }

    pub(crate) fn interval_of(
        &self,
        metric: PairMetric,
        statistic: PairStatistic,
        method: RunInterval,
        level: f64,
    ) -> Result<Option<Interval>> {
        statistic.check()?;
        let values = PairValues::new(self.n_runs, self.pairs(metric));
        interval_over_runs(self.n_runs, method, level, |times| {
            values.statistic(statistic, times)
        })
    }

    fn drops(&self, metric: PairMetric) -> bool {
        metric == PairMetric::EcLocal && self.empty_union == EmptyUnion::Drop
    }

    fn spread(&self, metric: PairMetric) -> PairSpread {
        let k = self.n_runs;
        let mut spread = PairSpread::new(k);
        let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
        for ((i, j), &value) in pairs.zip(self.pairs(metric)) {
            if value.is_some() || !self.drops(metric) {
                spread.add(i, j, value);
            }
        }
        spread
    }
}

impl PairwiseReproducibility {
    /// All metrics, an empty union undefined.
    #[must_use]
    pub fn builder() -> PairwiseReproducibilityBuilder {
        PairwiseReproducibilityBuilder {
            metrics: PairMetric::ALL.to_vec(),
            empty_union: EmptyUnion::default(),
            instruction_set: InstructionSet::fastest(),
        }
    }

    /// All metrics of `(k, n)` predictions and `(n,)` true labels.
    ///
    /// # Errors
    /// As [`PairwiseReproducibilityBuilder::from_predictions`].
    pub fn from_predictions<L: Label, M: Label>(
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<Self> {
        Self::builder().from_predictions(predictions, labels)
    }

    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.pairs.n_runs()
    }

    /// The runs' error sets: accuracies, always and ever wrong, leave-one-out consistency.
    #[must_use]
    pub fn errors(&self) -> &ErrorSets {
        &self.errors
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

    /// An interval for the mean of a metric over pairs, by a jackknife over *runs*: pairs share
    /// runs and are not independent. `None` below three runs, or when leaving out some run leaves
    /// no pair defined.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a level outside (0, 1).
    pub fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.pairs.interval(metric, level)
    }

    /// An interval over *runs* for any statistic of a metric over the pairs. `None` as for
    /// [`interval`](Self::interval), which this is, up to rounding, for the mean and the jackknife.
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

impl PairwiseSummaries {
    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.errors.n_runs()
    }

    /// The runs' error sets: accuracies, always and ever wrong, leave-one-out consistency.
    #[must_use]
    pub fn errors(&self) -> &ErrorSets {
        &self.errors
    }

    /// The metrics that were asked for, in that order.
    pub fn metrics(&self) -> impl Iterator<Item = PairMetric> + '_ {
        self.spreads.iter().map(|(metric, _)| *metric)
    }

    /// The distribution of a metric over the pairs, without quantiles; `None` for a metric that was
    /// not asked for.
    #[must_use]
    pub fn summary(&self, metric: PairMetric) -> Option<Summary> {
        self.spread(metric).map(|spread| spread.spread.summary())
    }

    /// As [`PairwiseReproducibility::interval`]; `None` also for a metric that was not asked for.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a level outside (0, 1).
    pub fn interval(&self, metric: PairMetric, level: f64) -> Result<Option<Interval>> {
        self.spread(metric)
            .map_or(Ok(None), |spread| spread.interval(level))
    }

    fn spread(&self, metric: PairMetric) -> Option<&PairSpread> {
        let of_metric = self.spreads.iter().find(|(m, _)| *m == metric);
        of_metric.map(|(_, spread)| spread)
    }
}
