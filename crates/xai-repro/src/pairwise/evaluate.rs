//! Taking the metrics of runs in memory.
//!
//! This is not [`PairwiseAccumulator`](crate::PairwiseAccumulator) called once: the state keeps the
//! counts and class tables of all pairs, so that more samples can be added; here a tile of pairs is
//! counted, evaluated and forgotten. Both count by the same loops and evaluate by the same formulas, and
//! tests hold both to the same bits.

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

/// Below this many blocks and planes over all pairs, threads cost more than they save: a tenth of a
/// millisecond of counting on one core.
const WORTH_THREADS: usize = 200_000;

impl Pairwise {
    /// Takes the metrics of `(k, n)` predictions and `(n,)` true labels.
    ///
    /// # Errors
    /// As [`PackedRuns::new`]; `OutOfDomain` about [`input::ERRORS`] for a pair without errors under
    /// [`EmptyUnion::Error`](crate::EmptyUnion::Error).
    pub fn evaluate<L: Label, M: Label>(
        &self,
        predictions: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<PairwiseReproducibility> {
        self.evaluate_packed(&PackedRuns::new(&self.metrics, predictions, labels)?)
    }

    /// Takes the metrics of packed runs.
    ///
    /// # Errors
    /// `Empty` without metrics, `InvalidParameter` for a metric that the runs were not packed for or whose
    /// formula gives a number that is not finite, `OutOfDomain` for a pair without errors under
    /// [`EmptyUnion::Error`](crate::EmptyUnion::Error).
    pub fn evaluate_packed(&self, packed: &PackedRuns) -> Result<PairwiseReproducibility> {
        let k = packed.n_runs();
        let evaluation = self.evaluation(packed)?;
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
        let mut values: Vec<(PairMetric, Vec<Option<f64>>)> = self
            .metrics
            .iter()
            .map(|&metric| (metric, vec![None; n_pairs(k)]))
            .collect();
        for (tile, of_tile) in tiles.iter().zip(&of_tiles) {
            for ((_, values), of_metric) in values.iter_mut().zip(of_tile) {
                put_tile(values, k, tile, of_metric);
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

    /// Summarises the metrics of packed runs without keeping the values of the pairs.
    ///
    /// # Errors
    /// As [`evaluate_packed`](Self::evaluate_packed).
    pub fn summarize(&self, packed: &PackedRuns) -> Result<PairwiseSummaries> {
        let k = packed.n_runs();
        let evaluation = self.evaluation(packed)?;
        let mut of_metrics: Vec<(PairMetric, PairMoments)> = self
            .metrics
            .iter()
            .map(|&metric| (metric, PairMoments::new(k)))
            .collect();
        let tiles = Tile::cover(k, parallel::threads());
        // Some tiles at a time: what is merged at once does not grow with the number of pairs.
        for tiles in tiles.chunks(16 * parallel::threads()) {
            let of_tiles = self.map_tiles(packed, tiles, |tile, buffers| {
                // A tile knows its own runs only: those of its rows, then those of its columns.
                let n_rows = tile.rows.len();
                let moments = PairMoments::new(n_rows + tile.columns.len());
                let mut of_tile = vec![moments; self.metrics.len()];
                self.count(packed, tile, buffers, |pair| {
                    let row = pair.first - tile.rows.start;
                    let column = n_rows + pair.second - tile.columns.start;
                    for (moments, &metric) in of_tile.iter_mut().zip(&self.metrics) {
                        let value = evaluation.value(metric, pair)?;
                        if value.is_some() || !self.empty_union.drops(metric) {
                            moments.update(row, column, value);
                        }
                    }
                    Ok(())
                })?;
                Ok(of_tile)
            })?;
            for (tile, of_tile) in tiles.iter().zip(&of_tiles) {
                let runs = tile.rows.clone().chain(tile.columns.clone());
                for ((_, moments), of_metric) in of_metrics.iter_mut().zip(of_tile) {
                    moments.merge(of_metric, runs.clone());
                }
            }
        }
        Ok(PairwiseSummaries {
            errors: ErrorSets::new(packed),
            of_metrics,
        })
    }

    /// Checks the options against the runs.
    fn evaluation<'a>(&self, packed: &'a PackedRuns) -> Result<Evaluation<'a>> {
        self.check()?;
        let counted = |metric: &PairMetric| PairNeeds::of(&[*metric]).within(packed.needs);
        if let Some(metric) = self.metrics.iter().find(|metric| !counted(metric)) {
            let expected = "one that the runs were packed for";
            let error = Error::parameter(input::METRIC, metric, expected);
            return Err(error.with_help(help::PACK_FOR_METRIC));
        }
        Ok(Evaluation {
            totals: &packed.totals,
            empty_union: self.empty_union,
        })
    }

    fn count(
        &self,
        packed: &PackedRuns,
        tile: &Tile,
        buffers: &mut TileBuffers,
        mut each: impl FnMut(&PairCounts<'_>) -> Result<()>,
    ) -> Result<(), PairError> {
        let mut outcome = Ok(());
        let needs = PairNeeds::of(&self.metrics);
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

    /// Maps tiles, in parallel where that pays; the error is that of the lowest pair.
    fn map_tiles<T: Send>(
        &self,
        packed: &PackedRuns,
        tiles: &[Tile],
        f: impl Fn(&Tile, &mut TileBuffers) -> Result<T, PairError> + Sync + Send,
    ) -> Result<Vec<T>> {
        let cost = packed.cost_of_a_pair(PairNeeds::of(&self.metrics));
        let n_pairs: usize = tiles.iter().map(|tile| tile.pairs().count()).sum();
        let outcomes = if cost * n_pairs < WORTH_THREADS {
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

struct PairError {
    pair: (usize, usize),
    error: Error,
}

/// Puts the values of a tile, row by row, to their places among all pairs of `k` runs.
fn put_tile(values: &mut [Option<f64>], k: usize, tile: &Tile, of_tile: &[Option<f64>]) {
    let mut from = of_tile;
    for row in tile.rows.clone() {
        let columns = tile.columns.start.max(row + 1)..tile.columns.end;
        let (of_row, rest) = from.split_at(columns.len());
        from = rest;
        if !columns.is_empty() {
            let start = pair_index(k, row, columns.start);
            values[start..start + of_row.len()].copy_from_slice(of_row);
        }
    }
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
    /// `OutOfDomain` for an empty union under [`EmptyUnion::Error`], `InvalidParameter` for a value that is
    /// not finite.
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
            // The formula may be another crate's.
            Some(value) if !value.is_finite() => {
                let expected = "a formula that gives a finite number, or none";
                let error = Error::parameter(input::METRIC, metric, expected);
                Err(error.at(&[pair.first, pair.second]))
            }
            value => Ok(value),
        }
    }

    /// What such a metric is of a pair where neither run errs.
    fn without_errors(&self, pair: &PairCounts<'_>) -> Result<Option<f64>> {
        match self.empty_union {
            EmptyUnion::Undefined | EmptyUnion::Drop => Ok(None),
            EmptyUnion::Zero => Ok(Some(0.0)),
            EmptyUnion::One => Ok(Some(1.0)),
            EmptyUnion::Error => {
                let (index, expected) = ([pair.first, pair.second], "at least one in either run");
                let error = Error::out_of_domain(input::ERRORS, &index, 0.0, expected);
                let error = error.owner("the pair of runs");
                Err(error.with_help(help::CHOOSE_EMPTY_UNION))
            }
        }
    }
}
