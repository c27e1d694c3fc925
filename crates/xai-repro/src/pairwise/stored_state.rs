//! Deserialised state of the pairwise metrics, and the checks that its counts are consistent.

use xai_core::{Error, Result};

use crate::across_runs::error_sets::LoneCounts;
use crate::counting::pair_tiles::{n_pairs, pairs};
use crate::input;
use crate::packed::packed_runs::RunTotals;
use crate::pair_metric::definition::{Cell, PairMetric, PairNeeds};
use crate::pairwise::counts_by_pair::{CountsByPair, MAX_RUNS, MAX_SAMPLES};
use crate::pairwise::options::EmptyUnion;
use crate::pairwise::packed_tables::UnsplitTables;

/// Fields of a [`PairwiseAccumulator`](crate::PairwiseAccumulator) before they are checked.
#[derive(serde::Deserialize)]
pub(super) struct StoredState {
    pub(super) metrics: Vec<PairMetric>,
    pub(super) empty_union: EmptyUnion,
    pub(super) classes: Vec<i64>,
    pub(super) totals: RunTotals,
    pub(super) both_wrong: CountsByPair,
    pub(super) equal: CountsByPair,
    pub(super) tables: UnsplitTables,
    pub(super) always_wrong: u64,
    pub(super) ever_wrong: u64,
    pub(super) alone: Vec<LoneCounts>,
}

/// Returns a `Corrupt` error with this reason if the condition is false.
fn ensure(condition: bool, why: &'static str) -> Result<()> {
    if condition {
        Ok(())
    } else {
        Err(Error::corrupt(input::PAIRWISE_STATE, why))
    }
}

impl StoredState {
    /// Checks that the counts are possible and consistent with each other, so that later arithmetic cannot overflow or
    /// panic.
    ///
    /// # Errors
    /// `Corrupt` with the reason.
    pub(super) fn check(&self) -> Result<()> {
        self.check_lengths()?;
        self.check_errors()?;
        self.check_classes()?;
        self.check_pairs()
    }

    fn check_lengths(&self) -> Result<()> {
        let (n, k) = (self.totals.n_samples, self.totals.n_runs());
        ensure(!self.metrics.is_empty(), "no metrics")?;
        let is_countable = n <= MAX_SAMPLES && k <= MAX_RUNS;
        ensure(is_countable, "too many samples or runs")?;
        ensure((k == 0) == (n == 0) && k != 1, "runs without samples")?;
        let needs = PairNeeds::new(&self.metrics);
        let lengths = [
            (self.both_wrong.len(), needs.errors),
            (self.equal.len(), needs.equal),
            (self.tables.len(), needs.tables),
        ];
        let is_complete =
            |&(length, is_needed): &(usize, bool)| length == if is_needed { n_pairs(k) } else { 0 };
        ensure(lengths.iter().all(is_complete), "not one count per pair")?;
        ensure(self.alone.len() == k, "not one entry per run")?;
        let n_class_counts = if needs.classes() { k } else { 0 };
        let class_counts = &self.totals.class_counts;
        ensure(
            class_counts.len() == n_class_counts,
            "not one entry per run",
        )
    }

    fn check_errors(&self) -> Result<()> {
        const WHY: &str = "more errors than samples";
        let n = self.totals.n_samples;
        ensure(self.totals.n_wrong.iter().all(|&wrong| wrong <= n), WHY)?;
        ensure(
            self.always_wrong <= self.ever_wrong && self.ever_wrong <= n,
            WHY,
        )?;
        // `leave_one_out` subtracts `alone.wrong` from `ever_wrong`.
        let is_possible = |alone: &LoneCounts| alone.right <= n && alone.wrong <= self.ever_wrong;
        ensure(self.alone.iter().all(is_possible), WHY)
    }

    fn check_classes(&self) -> Result<()> {
        let n = self.totals.n_samples;
        ensure(
            self.classes.is_sorted_by(|a, b| a < b),
            "classes are not in ascending order",
        )?;
        for counts in &self.totals.class_counts {
            let total = counts.iter().try_fold(0u64, |sum, &x| sum.checked_add(x));
            ensure(
                counts.len() == self.classes.len() && total == Some(n),
                "class counts do not add up to the number of samples",
            )?;
        }
        ensure(
            self.equal.iter().all(|equal| equal <= n),
            "more agreement than samples",
        )
    }

    fn check_pairs(&self) -> Result<()> {
        let RunTotals {
            n_samples,
            n_wrong,
            class_counts,
        } = &self.totals;
        let (mut tables, mut cells) = (self.tables.tables(), Vec::new());
        for (at, (i, j)) in pairs(n_wrong.len()).enumerate() {
            if let Some(both) = self.both_wrong.get(at) {
                let (a, b) = (n_wrong[i], n_wrong[j]);
                ensure(
                    both <= a.min(b) && a + b - both <= *n_samples,
                    "common errors of a pair contradict the errors of its runs",
                )?;
            }
            if tables.read(&mut cells) {
                ensure(
                    self.has_totals(&cells, &class_counts[i], &class_counts[j]),
                    "a class table does not have the totals of its runs",
                )?;
            }
        }
        Ok(())
    }

    /// True if the cells have these row and column totals.
    fn has_totals(&self, cells: &[Cell], rows: &[u64], columns: &[u64]) -> bool {
        let c = self.classes.len();
        let (mut row_sums, mut column_sums) = (vec![0u64; c], vec![0u64; c]);
        for cell in cells {
            let (row, column) = (cell.row as usize, cell.column as usize);
            if row >= c || column >= c || cell.count > self.totals.n_samples {
                return false;
            }
            row_sums[row] = row_sums[row].saturating_add(cell.count);
            column_sums[column] = column_sums[column].saturating_add(cell.count);
        }
        row_sums == rows && column_sums == columns
    }
}
