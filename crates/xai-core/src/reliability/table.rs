//! Validated tables of the values of explainers on samples.

use crate::describe::Direction;
use crate::error::{Error, Help, Input, Result};
use crate::statistics::ranks::{centred_ranks, mid_ranks};
use crate::sum::ExactSum;
use crate::{input, parallel};

/// Largest number of explainers that are compared pair by pair. One `f64` per ordered pair then
/// takes 0.5 GB.
const MOST_COMPARED: usize = 1 << 13;

/// Advice for more explainers or metrics than can be compared pair by pair.
pub const EVALUATE_FEWER: Help = Help::new("evaluate some of the explainers or metrics at a time");

/// Checks that there are not too many explainers to compare all pairs of them.
pub(super) fn check_compared(n_explainers: usize) -> Result<()> {
    if n_explainers <= MOST_COMPARED {
        return Ok(());
    }
    let expected = format!("at most {MOST_COMPARED}: every pair of explainers is compared");
    let error = Error::parameter(input::EXPLAINERS, n_explainers, expected);
    Err(error.with_help(EVALUATE_FEWER))
}

/// Number of samples that a thread ranks at a time.
const BLOCK: usize = 1 << 12;

/// Rows of equal length, one per explainer, whose defined values are finite.
pub(super) struct Table<'a> {
    pub(super) rows: Vec<&'a [Option<f64>]>,
    pub(super) n_samples: usize,
}

impl<'a> Table<'a> {
    /// Validates the rows.
    pub(super) fn new<R: AsRef<[Option<f64>]>>(input: Input, rows: &'a [R]) -> Result<Self> {
        let rows: Vec<&[Option<f64>]> = rows.iter().map(AsRef::as_ref).collect();
        let Some(n_samples) = rows.first().map(|row| row.len()) else {
            return Err(Error::empty(input));
        };
        for (r, row) in rows.iter().enumerate() {
            if row.len() != n_samples {
                return Err(Error::shape(input, &[n_samples], &[row.len()]).at(&[r]));
            }
            check_row(input, row).map_err(|error| {
                let index = [&[r], error.index()].concat();
                error.at(&index)
            })?;
        }
        Ok(Self { rows, n_samples })
    }

    /// Returns `true` if rows and columns look exchanged: every row contains ranks of the columns,
    /// and no column contains ranks of the rows.
    ///
    /// A row or column with an undefined value or fewer than three values does not count as ranks: short
    /// ones contain ranks by chance.
    pub(super) fn ranks_its_columns(&self) -> bool {
        let [n_rows, n_columns] = self.shape();
        let ranks_something = |values: Option<Vec<f64>>| {
            values.is_some_and(|values| {
                let is_constant = values.iter().all(|value| *value == values[0]);
                values.len() > 2 && !is_constant && mid_ranks(&values) == values
            })
        };
        let row = |row: &&[Option<f64>]| row.iter().copied().collect();
        n_rows > 1
            && n_columns > 2
            && self.rows.iter().map(row).all(ranks_something)
            && !(0..n_columns).any(|i| ranks_something(self.sample(i)))
    }

    /// Returns `true` if every column contains ranks of the rows, and no row contains ranks of the
    /// columns.
    pub(super) fn ranks_its_rows(&self) -> bool {
        let columns: Option<Vec<Vec<Option<f64>>>> = (0..self.n_samples)
            .map(|i| {
                let column = self.sample(i)?;
                // In most tables the first column is no ranking, which ends the search.
                (mid_ranks(&column) == column).then(|| column.into_iter().map(Some).collect())
            })
            .collect();
        columns.is_some_and(|columns| {
            let n_samples = self.rows.len();
            let rows = columns.iter().map(Vec::as_slice).collect();
            Table { rows, n_samples }.ranks_its_columns()
        })
    }

    /// Number of explainers and of samples.
    pub(super) fn shape(&self) -> [usize; 2] {
        [self.rows.len(), self.n_samples]
    }

    /// Values of all explainers on a sample; `None` if one is undefined.
    pub(super) fn sample(&self, i: usize) -> Option<Vec<f64>> {
        self.rows.iter().map(|row| row[i]).collect()
    }

    /// Folds the [centred ranks](centred_ranks) of the explainers on each complete sample into one
    /// state per block of samples. Returns the states in order.
    pub(super) fn fold_ranks<S: Send>(
        &self,
        state: impl Fn() -> S + Sync + Send,
        fold: impl Fn(&mut S, &[f64]) + Sync + Send,
    ) -> Vec<S> {
        parallel::map_blocks(self.n_samples, BLOCK, |samples| {
            let (mut state, mut values, mut ranks) = (state(), Vec::new(), Vec::new());
            for i in samples {
                values.clear();
                values.extend(self.rows.iter().map_while(|row| row[i]));
                if values.len() == self.rows.len() {
                    rank_into(&mut ranks, &values);
                    fold(&mut state, &ranks);
                }
            }
            state
        })
    }

    /// Indices of the samples for which every explainer has a value.
    pub(super) fn complete(&self) -> Vec<usize> {
        let is_complete = |i: &usize| self.rows.iter().all(|row| row[*i].is_some());
        (0..self.n_samples).filter(is_complete).collect()
    }

    /// Position of each sample in `samples`; `None` for samples that are not among them.
    pub(super) fn positions(&self, samples: &[usize]) -> Vec<Option<usize>> {
        let mut positions = vec![None; self.n_samples];
        for (position, &sample) in samples.iter().enumerate() {
            positions[sample] = Some(position);
        }
        positions
    }

    /// Values of each explainer on the given samples, all of which must be defined.
    pub(super) fn select(&self, samples: &[usize]) -> Vec<Vec<f64>> {
        let selected = |row: &&[Option<f64>]| samples.iter().filter_map(|&i| row[i]).collect();
        self.rows.iter().map(selected).collect()
    }
}

/// Centred ranks of a few values: for each, the number of smaller values minus the number of larger
/// ones, without branches. Many values are ranked by sorting.
fn rank_into(ranks: &mut Vec<f64>, values: &[f64]) {
    /// Largest number of values for which this is faster than sorting.
    const FEW: usize = 32;
    ranks.clear();
    if values.len() > FEW {
        ranks.extend(centred_ranks(values));
        return;
    }
    ranks.extend(values.iter().map(|a| {
        let order = |b: &f64| i32::from(b < a) - i32::from(b > a);
        f64::from(values.iter().map(order).sum::<i32>())
    }));
}

/// Checks that the defined values of a row are finite.
pub(super) fn check_row(input: Input, row: &[Option<f64>]) -> Result<()> {
    let infinite = |value: &Option<f64>| value.is_some_and(|value| !value.is_finite());
    match row.iter().position(infinite) {
        None => Ok(()),
        Some(i) => Err(Error::non_finite(input, &[i])),
    }
}

/// Sign that makes larger values better: 1 for higher, −1 for lower. An error if neither end is
/// better.
pub(super) fn sign(direction: Direction) -> Result<f64> {
    match direction {
        Direction::Higher => Ok(1.0),
        Direction::Lower => Ok(-1.0),
        Direction::None => Err(Error::parameter(
            input::DIRECTION,
            direction,
            "higher or lower: without a better end no explainer is better than another",
        )),
    }
}

/// Ranks explainers by their means: 1 = best, equal means share their mean rank.
///
/// Means are compared relative to the largest magnitude, rounded to 12 decimals. Rounding makes
/// equal explainers tie for any order of summation, and relative values make the ranks independent
/// of the unit.
pub(super) fn ranks_of_means(means: impl IntoIterator<Item = f64>, sign: f64) -> Vec<f64> {
    const DECIMALS: f64 = 1e12;
    let mut keys: Vec<f64> = means.into_iter().collect();
    let largest = keys
        .iter()
        .fold(0.0f64, |largest, mean| largest.max(mean.abs()));
    if largest > 0.0 {
        for key in &mut keys {
            *key = -sign * (*key / largest * DECIMALS).round_ties_even();
        }
    }
    mid_ranks(&keys)
}

/// Returns `true` if two rankings have the same set of best explainers.
pub(super) fn same_top(a: &[f64], b: &[f64]) -> bool {
    let best = |ranks: &[f64]| ranks.iter().copied().fold(f64::INFINITY, f64::min);
    let (best_a, best_b) = (best(a), best(b));
    a.iter()
        .zip(b)
        .all(|(x, y)| (*x == best_a) == (*y == best_b))
}

/// Mean of the defined values, and the number of undefined ones.
pub(super) fn mean_of_defined(values: &[Option<f64>]) -> (Option<f64>, usize) {
    let sum: ExactSum = values.iter().flatten().copied().collect();
    let n_defined = values.iter().flatten().count();
    let mean = (n_defined > 0).then(|| sum.value() / n_defined as f64);
    (mean, values.len() - n_defined)
}
