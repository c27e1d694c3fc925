//! Values of explainers on samples, checked once.

use crate::describe::Direction;
use crate::error::{Error, Help, Input, Result};
use crate::statistics::ranks::{centred_ranks, mid_ranks};
use crate::sum::ExactSum;
use crate::{input, parallel};

/// Largest number of explainers that are compared pair by pair. A value of each pair of so many takes 0.5 GB.
const MOST_COMPARED: usize = 1 << 13;

/// For more explainers or metrics than can be judged pair by pair.
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

/// Samples that a thread ranks at once.
const BLOCK: usize = 1 << 12;

/// Rows of one length, one for each explainer, whose defined values are finite.
pub(super) struct Table<'a> {
    pub(super) rows: Vec<&'a [Option<f64>]>,
    pub(super) n_samples: usize,
}

impl<'a> Table<'a> {
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

    /// Whether rows and columns look exchanged: every row of `self` ranks its columns, and no column ranks the rows.
    ///
    /// Only complete rows of three places or more are judged: shorter ones rank something by chance.
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

    /// Whether every column ranks the rows, and no row the columns.
    pub(super) fn ranks_its_rows(&self) -> bool {
        let columns: Option<Vec<Vec<Option<f64>>>> = (0..self.n_samples)
            .map(|i| {
                let column = self.sample(i)?;
                // Most columns rank nothing; the first of them ends the search.
                (mid_ranks(&column) == column).then(|| column.into_iter().map(Some).collect())
            })
            .collect();
        columns.is_some_and(|columns| {
            let n_samples = self.rows.len();
            let rows = columns.iter().map(Vec::as_slice).collect();
            Table { rows, n_samples }.ranks_its_columns()
        })
    }

    pub(super) fn shape(&self) -> [usize; 2] {
        [self.rows.len(), self.n_samples]
    }

    /// The values of all explainers on a sample; `None` where one has none.
    pub(super) fn sample(&self, i: usize) -> Option<Vec<f64>> {
        self.rows.iter().map(|row| row[i]).collect()
    }

    /// Gives the [centred ranks](centred_ranks) of the explainers on each sample on which all have a value to the state of
    /// a block of samples; the states of all blocks, in order.
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

    /// The samples on which every explainer has a value.
    pub(super) fn complete(&self) -> Vec<usize> {
        let is_complete = |i: &usize| self.rows.iter().all(|row| row[*i].is_some());
        (0..self.n_samples).filter(is_complete).collect()
    }

    /// The place of each sample among some of them, ascending.
    pub(super) fn places(&self, samples: &[usize]) -> Vec<Option<usize>> {
        let mut places = vec![None; self.n_samples];
        for (place, &sample) in samples.iter().enumerate() {
            places[sample] = Some(place);
        }
        places
    }

    /// The values of each explainer on some samples on which it has one.
    pub(super) fn on(&self, samples: &[usize]) -> Vec<Vec<f64>> {
        let of_row = |row: &&[Option<f64>]| samples.iter().filter_map(|&i| row[i]).collect();
        self.rows.iter().map(of_row).collect()
    }
}

/// Ranks a few values: how many are below each less how many are above it, without branches.
fn rank_into(ranks: &mut Vec<f64>, values: &[f64]) {
    /// Above it sorting is faster.
    const FEW: usize = 32;
    ranks.clear();
    if values.len() > FEW {
        ranks.extend(centred_ranks(values));
        return;
    }
    ranks.extend(values.iter().map(|a| {
        let place = |b: &f64| i32::from(b < a) - i32::from(b > a);
        f64::from(values.iter().map(place).sum::<i32>())
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

/// Which end of a scale is better, where one has to be.
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
/// Means are compared as shares of the largest mean by magnitude, rounded to 12 decimals. The rounding makes equal
/// explainers tie in any order of summation, and the shares make the ranks the same for any unit of the values.
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

/// Whether two rankings have the same explainers in the first place.
pub(super) fn same_top(a: &[f64], b: &[f64]) -> bool {
    let best = |ranks: &[f64]| ranks.iter().copied().fold(f64::INFINITY, f64::min);
    let (best_a, best_b) = (best(a), best(b));
    a.iter()
        .zip(b)
        .all(|(x, y)| (*x == best_a) == (*y == best_b))
}

/// The mean of the defined values, and how many are not.
pub(super) fn mean_of_defined(values: &[Option<f64>]) -> (Option<f64>, usize) {
    let sum: ExactSum = values.iter().flatten().copied().collect();
    let n_defined = values.iter().flatten().count();
    let mean = (n_defined > 0).then(|| sum.value() / n_defined as f64);
    (mean, values.len() - n_defined)
}
