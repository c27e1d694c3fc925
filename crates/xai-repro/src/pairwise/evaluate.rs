//! Evaluation of pair metrics for runs in memory.
//!
//! This is not a single call of [`PairwiseAccumulator`](crate::PairwiseAccumulator). The accumulator keeps the counts
//! and class tables of all pairs, so that samples can be added; here each tile of pairs is counted, evaluated and
//! discarded. Both use the same counting loops and formulas, and tests check that the results have the same bits.

use ndarray::ArrayView2;
use xai_core::{Error, Label, Result, parallel};

use crate::across_runs::error_sets::ErrorSets;
use crate::counting::pair_tiles::{PairCounts, Tile, TileBuffers, count_tile, n_pairs, pair_index};
use crate::interval::pair_distribution::PairMoments;
use crate::packed::packed_runs::{PackedRuns, RunTotals};
use crate::pair_metric::definition::{
    ClassTable, EqualPredictions, ErrorTable, PairFormula, PairMetric, PairNeeds,
};
use crate::pairwise::options::{EmptyUnion, Pairwise};
use crate::pairwise::reproducibility::{PairTable, PairwiseReproducibility, PairwiseSummaries};
use crate::{help, input};

/// Number of register operations, over all pairs, from which threads save more time than they cost. It corresponds to
/// about 0.1 ms of counting on one core.
const WORTH_THREADS: usize = 200_000;

impl Pairwise {
    /// Evaluates the metrics for `(k, n)` predictions and `(n,)` true labels.
    ///
    /// # Errors
    /// As [`PackedRuns::new`] and [`evaluate_packed`](Self::evaluate_packed).
    pub fn evaluate<L: Label, M: Label>(
        &self,
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<PairwiseReproducibility> {
        self.evaluate_packed(&PackedRuns::new(&self.metrics, predictions, labels)?)
    }

    /// Evaluates the metrics for packed runs.
    ///
    /// # Errors
    /// `Empty` without metrics, `InvalidParameter` for a metric for which the runs were not packed or whose formula
    /// returns NaN or an infinite value, `OutOfDomain` about [`input::ERRORS`] for a pair without errors under
    /// [`EmptyUnion::Error`](crate::EmptyUnion::Error).
    pub fn evaluate_packed(&self, packed: &PackedRuns) -> Result<PairwiseReproducibility> {
        let k = packed.n_runs();
        let evaluation = self.evaluation(packed)?;
        let tiles = Tile::cover(k, parallel::threads());
        let values_by_tile = self.map_tiles(packed, &tiles, |tile, buffers| {
            let n_pairs = tile.pairs().count();
            let mut values_by_metric = vec![Vec::with_capacity(n_pairs); self.metrics.len()];
            self.count(packed, tile, buffers, |pair| {
                for (values, &metric) in values_by_metric.iter_mut().zip(&self.metrics) {
                    values.push(evaluation.value(metric, pair)?);
                }
                Ok(())
            })?;
            Ok(values_by_metric)
        });
        let values_by_tile = values_by_tile.map_err(|error| error.error)?;
        let mut values: Vec<(PairMetric, Vec<Option<f64>>)> = self
            .metrics
            .iter()
            .map(|&metric| (metric, vec![None; n_pairs(k)]))
            .collect();
        for (tile, values_by_metric) in tiles.iter().zip(&values_by_tile) {
            for ((_, values), tile_values) in values.iter_mut().zip(values_by_metric) {
                copy_tile(values, k, tile, tile_values);
            }
        }
        Ok(PairwiseReproducibility {
            errors: ErrorSets::new(packed),
            pairs: PairTable {
                n_runs: k,
                empty_union: self.empty_union,
                values,
            },
        })
    }

    /// Summarises the metrics of packed runs without storing the values of the pairs.
    ///
    /// # Errors
    /// As [`evaluate_packed`](Self::evaluate_packed).
    pub fn summarize(&self, packed: &PackedRuns) -> Result<PairwiseSummaries> {
        let k = packed.n_runs();
        let evaluation = self.evaluation(packed)?;
        let mut moments_by_metric: Vec<(PairMetric, PairMoments)> = self
            .metrics
            .iter()
            .map(|&metric| (metric, PairMoments::new(k)))
            .collect();
        let tiles = Tile::cover(k, parallel::threads());
        let mut lowest: Option<PairError> = None;
        // A limited number of tiles at a time, so that the moments in memory do not grow with the number of pairs.
        for tiles in tiles.chunks(16 * parallel::threads()) {
            // After an error, further tiles with the same rows are counted, because they may contain a lower pair.
            let has_lower = |error: &PairError| tiles[0].rows.start <= error.pair.0;
            if !lowest.as_ref().is_none_or(has_lower) {
                break;
            }
            let mapped = self.map_tiles(packed, tiles, |tile, buffers| {
                // The moments of a tile have entries only for its own runs: its row runs first, then its column runs.
                let n_rows = tile.rows.len();
                let empty = PairMoments::new(n_rows + tile.columns.len());
                let mut tile_moments = vec![empty; self.metrics.len()];
                self.count(packed, tile, buffers, |pair| {
                    let row = pair.first - tile.rows.start;
                    let column = n_rows + pair.second - tile.columns.start;
                    for (moments, &metric) in tile_moments.iter_mut().zip(&self.metrics) {
                        let value = evaluation.value(metric, pair)?;
                        if value.is_some() || !self.empty_union.drops(metric) {
                            moments.update(row, column, value);
                        }
                    }
                    Ok(())
                })?;
                Ok(tile_moments)
            });
            let moments_by_tile = match mapped {
                Ok(moments_by_tile) => moments_by_tile,
                Err(error) => {
                    keep_lower(&mut lowest, error);
                    continue;
                }
            };
            for (tile, tile_moments) in tiles.iter().zip(&moments_by_tile) {
                let runs = tile.rows.clone().chain(tile.columns.clone());
                for ((_, moments), of_tile) in moments_by_metric.iter_mut().zip(tile_moments) {
                    moments.merge(of_tile, runs.clone());
                }
            }
        }
        match lowest {
            Some(error) => Err(error.error),
            None => Ok(PairwiseSummaries {
                errors: ErrorSets::new(packed),
                moments_by_metric,
            }),
        }
    }

    /// Checks that the runs were packed for all metrics, and returns what their evaluation needs.
    fn evaluation<'a>(&self, packed: &'a PackedRuns) -> Result<Evaluation<'a>> {
        self.check()?;
        let is_packed_for =
            |metric: &PairMetric| PairNeeds::new(&[*metric]).is_subset_of(packed.needs);
        if let Some(metric) = self.metrics.iter().find(|metric| !is_packed_for(metric)) {
            let expected = "one for which the runs were packed";
            let error = Error::parameter(input::METRIC, metric, expected);
            return Err(error.with_help(help::PACK_FOR_METRIC));
        }
        Ok(Evaluation {
            totals: &packed.totals,
            empty_union: self.empty_union,
        })
    }

    /// Counts the pairs of a tile and calls `each` for them until it fails.
    fn count(
        &self,
        packed: &PackedRuns,
        tile: &Tile,
        buffers: &mut TileBuffers,
        mut each: impl FnMut(&PairCounts<'_>) -> Result<()>,
    ) -> Result<(), PairError> {
        let mut outcome = Ok(());
        let needs = PairNeeds::new(&self.metrics);
        count_tile(packed, tile, needs, self.instruction_set, buffers, |pair| {
            if outcome.is_ok() {
                outcome = each(&pair).map_err(|error| PairError {
                    pair: (pair.first, pair.second),
                    error,
                });
            }
        });
        outcome
    }

    /// Maps tiles, in parallel if there is enough to count. Of several errors in these tiles, the one of the lowest
    /// pair is returned, whichever thread is faster.
    fn map_tiles<T: Send>(
        &self,
        packed: &PackedRuns,
        tiles: &[Tile],
        f: impl Fn(&Tile, &mut TileBuffers) -> Result<T, PairError> + Sync + Send,
    ) -> Result<Vec<T>, PairError> {
        let operations_per_pair = packed.operations_per_pair(PairNeeds::new(&self.metrics));
        let n_pairs: usize = tiles.iter().map(|tile| tile.pairs().count()).sum();
        let outcomes = if operations_per_pair * n_pairs < WORTH_THREADS {
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
                Err(error) => keep_lower(&mut lowest, error),
            }
        }
        lowest.map_or(Ok(values), Err)
    }
}

struct PairError {
    pair: (usize, usize),
    error: Error,
}

/// Replaces `lowest` by an error of a lower pair.
fn keep_lower(lowest: &mut Option<PairError>, error: PairError) {
    if lowest.as_ref().is_none_or(|low| error.pair < low.pair) {
        *lowest = Some(error);
    }
}

/// Copies the values of a tile, stored row by row, into the values of all pairs of `k` runs.
fn copy_tile(values: &mut [Option<f64>], k: usize, tile: &Tile, tile_values: &[Option<f64>]) {
    let mut remaining = tile_values;
    for row in tile.rows.clone() {
        // The pairs of one row with consecutive columns are also consecutive among all pairs.
        let columns = tile.columns.start.max(row + 1)..tile.columns.end;
        let (row_values, rest) = remaining.split_at(columns.len());
        remaining = rest;
        if !columns.is_empty() {
            let start = pair_index(k, row, columns.start);
            values[start..start + row_values.len()].copy_from_slice(row_values);
        }
    }
}

/// Evaluates metrics from the counts of a pair, the totals of each run and the rule for pairs without errors.
pub(crate) struct Evaluation<'a> {
    pub(crate) totals: &'a RunTotals,
    pub(crate) empty_union: EmptyUnion,
}

impl Evaluation<'_> {
    /// Value of a metric for a pair; `None` if it is undefined.
    ///
    /// # Errors
    /// `OutOfDomain` for a pair without errors under [`EmptyUnion::Error`], `InvalidParameter` for a value that is not
    /// finite.
    pub(crate) fn value(&self, metric: PairMetric, pair: &PairCounts<'_>) -> Result<Option<f64>> {
        let n_samples = self.totals.n_samples;
        let classes = |run: usize| self.totals.class_counts[run].as_slice();
        let definition = metric.definition();
        let value = match definition.formula {
            PairFormula::Errors(formula) => formula(&ErrorTable {
                both: pair.both_wrong,
                first: self.totals.n_wrong[pair.first],
                second: self.totals.n_wrong[pair.second],
                n_samples,
            }),
            PairFormula::Equal(formula) => formula(&EqualPredictions {
                equal: pair.equal,
                first: classes(pair.first),
                second: classes(pair.second),
                n_samples,
            }),
            PairFormula::Table(formula) => formula(&ClassTable {
                cells: pair.cells,
                rows: classes(pair.first),
                columns: classes(pair.second),
                n_samples,
            }),
        };
        match value {
            None if definition.undefined_without_errors => self.without_errors(pair),
            // Formulas of other crates may return anything.
            Some(value) if !value.is_finite() => {
                let expected = "a formula that returns a finite number or None";
                let error = Error::parameter(input::METRIC, metric, expected);
                Err(error.at(&[pair.first, pair.second]))
            }
            value => Ok(value),
        }
    }

    /// Value of a metric that is undefined for a pair without errors, as set by [`EmptyUnion`].
    fn without_errors(&self, pair: &PairCounts<'_>) -> Result<Option<f64>> {
        match self.empty_union {
            EmptyUnion::Undefined | EmptyUnion::Drop => Ok(None),
            EmptyUnion::Zero => Ok(Some(0.0)),
            EmptyUnion::One => Ok(Some(1.0)),
            EmptyUnion::Error => {
                let (index, expected) = ([pair.first, pair.second], "at least one in either run");
                let error = Error::out_of_domain(input::ERRORS, &index, 0.0, expected);
                Err(error
                    .owner("the pair of runs")
                    .with_help(help::CHOOSE_EMPTY_UNION))
            }
        }
    }
}
