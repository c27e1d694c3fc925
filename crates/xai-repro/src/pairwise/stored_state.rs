//! A stored state of the pairwise metrics, before its counts are known to belong together.

use xai_core::{Error, Result};

use crate::across_runs::error_sets::Alone;
use crate::counting::pair_tiles::{n_pairs, pairs};
use crate::input;
use crate::packed::packed_runs::RunTotals;
use crate::pair_metric::definition::{Cell, PairMetric, PairNeeds};
use crate::pairwise::options::EmptyUnion;

/// The fields of a state as they are read.
#[derive(serde::Deserialize)]
pub(super) struct StoredState {
    pub(super) metrics: Vec<PairMetric>,
    pub(super) empty_union: EmptyUnion,
    pub(super) classes: Vec<i64>,
    pub(super) totals: RunTotals,
    pub(super) both_wrong: Vec<u64>,
    pub(super) equal: Vec<u64>,
    pub(super) tables: Vec<Vec<Cell>>,
    pub(super) always_wrong: u64,
    pub(super) ever_wrong: u64,
    pub(super) alone: Vec<Alone>,
}

fn holds(is: bool, why: &'static str) -> Result<()> {
    if is {
        Ok(())
    } else {
        Err(Error::corrupt(input::PAIRWISE_STATE, why))
    }
}

impl StoredState {
    /// Checks that its counts belong together.
    ///
    /// # Errors
    /// `Corrupt` with what does not.
    pub(super) fn check(&self, most_samples: u64) -> Result<()> {
        self.check_lengths(most_samples)?;
        self.check_errors()?;
        self.check_classes()?;
        self.check_pairs()
    }

    fn check_lengths(&self, most_samples: u64) -> Result<()> {
        let (n, k) = (self.totals.n_samples, self.totals.n_runs());
        holds(!self.metrics.is_empty(), "no metrics")?;
        holds(
            n <= most_samples && k <= 1 << 16,
            "too many samples or runs",
        )?;
        holds((k == 0) == (n == 0) && k != 1, "runs without samples")?;
        let needs = PairNeeds::of(&self.metrics);
        let lengths = [
            (self.both_wrong.len(), needs.errors),
            (self.equal.len(), needs.equal),
            (self.tables.len(), needs.tables),
        ];
        let right = |&(length, is): &(usize, bool)| length == if is { n_pairs(k) } else { 0 };
        holds(lengths.iter().all(right), "not one count per pair")?;
        holds(self.alone.len() == k, "not one entry per run")?;
        let of_classes = if needs.classes() { k } else { 0 };
        let class_counts = &self.totals.class_counts;
        holds(class_counts.len() == of_classes, "not one entry per run")
    }

    fn check_errors(&self) -> Result<()> {
        const WHY: &str = "more errors than samples";
        let n = self.totals.n_samples;
        holds(self.totals.n_wrong.iter().all(|&wrong| wrong <= n), WHY)?;
        holds(
            self.always_wrong <= self.ever_wrong && self.ever_wrong <= n,
            WHY,
        )?;
        let within = |alone: &Alone| alone.right <= n && alone.wrong <= self.ever_wrong;
        holds(self.alone.iter().all(within), WHY)
    }

    fn check_classes(&self) -> Result<()> {
        let n = self.totals.n_samples;
        holds(
            self.classes.is_sorted_by(|a, b| a < b),
            "classes do not ascend",
        )?;
        for counts in &self.totals.class_counts {
            let total = counts.iter().try_fold(0u64, |sum, &x| sum.checked_add(x));
            holds(
                counts.len() == self.classes.len() && total == Some(n),
                "class counts that are not those of the samples",
            )?;
        }
        holds(
            self.equal.iter().all(|&equal| equal <= n),
            "more agreement than samples",
        )
    }

    fn check_pairs(&self) -> Result<()> {
        let RunTotals {
            n_samples,
            n_wrong,
            class_counts,
        } = &self.totals;
        for (at, (i, j)) in pairs(n_wrong.len()).enumerate() {
            if let Some(&both) = self.both_wrong.get(at) {
                let (a, b) = (n_wrong[i], n_wrong[j]);
                holds(
                    both <= a.min(b) && a + b - both <= *n_samples,
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
            if row >= c || column >= c || cell.count == 0 || cell.count > self.totals.n_samples {
                return false;
            }
            of_rows[row] = of_rows[row].saturating_add(cell.count);
            of_columns[column] = of_columns[column].saturating_add(cell.count);
        }
        let place = |cell: &Cell| (cell.row, cell.column);
        cells.is_sorted_by(|a, b| place(a) < place(b)) && of_rows == rows && of_columns == columns
    }
}
