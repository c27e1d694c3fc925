//! Are two groups of runs equally reproducible? A permutation test.

use std::ops::Range;

use ndarray::{ArrayView2, Axis, concatenate};
use xai_core::describe::Parameters;
use xai_core::random::{random_stream, uniform_index};
use xai_core::{Error, Label, Result, Summary, parallel};

use crate::counting::pair_tiles::pair_index;
use crate::input;
use crate::pair_metric::definition::PairMetric;
use crate::pairwise::options::Pairwise;

/// How far two groups of runs are apart in one metric, and how often chance alone takes them as far.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroupDifference {
    /// The metric.
    pub metric: PairMetric,
    /// The metric over the pairs of the first group.
    pub first: Summary,
    /// The metric over the pairs of the second group.
    pub second: Summary,
    /// The mean of the first group less that of the second; `None` where either is undefined.
    pub difference: Option<f64>,
    /// The share of assignments of the runs to the two groups whose difference is at least as large in
    /// magnitude, in (0, 1]; `None` without a difference.
    pub p_value: Option<f64>,
    /// The number of assignments looked at, the actual one included.
    pub n_assignments: u64,
    /// Whether these are all there are; else they were drawn.
    pub exact: bool,
}

/// A permutation test of two groups of runs of the same samples: two methods, two schedules, two
/// sizes of training set.
///
/// The statistic is the difference of the means of a metric over the pairs *within* each group. If the
/// groups are equally reproducible and make the same kind of predictions, it does not matter which run
/// is in which, so the statistic is compared with its values under other assignments of the runs: all
/// of them if there are few enough, else a number drawn at random, the actual one counted among them
/// (so the test is valid at any number). Pairs between the groups enter under those assignments: groups
/// that are each consistent, but with each other not, weaken the test rather than mislead it.
///
/// An assignment that leaves a group without a defined pair counts as one that is as far apart.
///
/// ```
/// use ndarray::array;
/// use xai_repro::{GroupComparison, PairMetric, Pairwise};
/// let labels = [0, 1, 0, 1, 0, 1];
/// let alike = array![[0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 0]];
/// let apart = array![[1, 1, 0, 1, 0, 1], [0, 1, 1, 1, 0, 1], [0, 1, 0, 1, 1, 1]];
/// let test = GroupComparison::new(Pairwise::new().metrics(&[PairMetric::PA_ACC]));
/// let result = &test.compare(alike.view(), apart.view(), &labels)?[0];
/// // Agreement 1 within the first group, 2/3 within the second.
/// assert!((result.difference.unwrap() - 1.0 / 3.0).abs() < 1e-15);
/// // Of the 20 assignments of six runs, this one and its mirror image are the furthest apart.
/// assert_eq!((result.p_value, result.exact), (Some(0.1), true));
/// # Ok::<(), xai_repro::Error>(())
/// ```
///
/// # Source
/// Phipson and Smyth, *Permutation p-values should never be zero*, 2010.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct GroupComparison {
    #[param(flatten)]
    options: Pairwise,
    /// The most assignments of runs to groups to look at, the actual one included; all there are if they are no more.
    #[param(at_least = 2, at_most = 10_000_000)]
    n_assignments: u64,
    /// What drawn assignments depend on.
    seed: u64,
}

/// Differences that are this share of the largest value apart are equal: their sums were rounded apart.
const TIE: f64 = 1e-12;

impl Default for GroupComparison {
    fn default() -> Self {
        Self::new(Pairwise::new())
    }
}

impl GroupComparison {
    /// The metrics of these options, up to 10 000 assignments, seed 1.
    #[must_use]
    pub fn new(options: Pairwise) -> Self {
        Self {
            options,
            n_assignments: 10_000,
            seed: 1,
        }
    }

    /// Only these metrics; all by default.
    #[must_use]
    pub fn metrics(mut self, metrics: &[PairMetric]) -> Self {
        self.options = self.options.metrics(metrics);
        self
    }

    /// The metrics, and how they are taken.
    #[must_use]
    pub fn options(&self) -> &Pairwise {
        &self.options
    }

    /// Compares `(k_1, n)` and `(k_2, n)` predictions of the same samples with `(n,)` true labels.
    ///
    /// # Errors
    /// `InvalidParameter` for fewer than two assignments or more than 10 000 000, `TooFew` about
    /// [`input::RUNS`] for a group of fewer than two runs, `ShapeMismatch` for groups of different samples;
    /// else as [`Pairwise::evaluate`]. An error about the runs of one group has [`FIRST`] or [`SECOND`] as
    /// its owner, and counts the runs of that group.
    pub fn compare<L: Label, M: Label>(
        &self,
        first: ArrayView2<'_, L>,
        second: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<Vec<GroupDifference>> {
        self.check_params()?;
        for (owner, group) in [(FIRST, first), (SECOND, second)] {
            if group.nrows() < 2 {
                return Err(Error::too_few(input::RUNS, 2, group.nrows()).owner(owner));
            }
        }
        let all = concatenate(Axis(0), &[first, second]).map_err(|_| {
            let expected = [second.nrows(), first.ncols()];
            Error::shape(input::PREDICTIONS, &expected, second.shape()).owner(SECOND)
        })?;
        let (n_first, n_runs) = (first.nrows(), all.nrows());
        let runs = self.options.evaluate(all.view(), labels);
        let runs = runs.map_err(|error| of_group(error, n_first))?;
        let assignments = Assignments::new(n_first, n_runs, self.n_assignments, self.seed);
        let difference = |&metric: &PairMetric| {
            let dropped = self.options.empty_union.drops(metric);
            difference(runs.pairs(metric), metric, dropped, &assignments)
        };
        Ok(self.options.metrics.iter().map(difference).collect())
    }
}

/// An error about runs of one group, in the numbers of that group.
fn of_group(error: Error, n_first: usize) -> Error {
    if ![input::ERRORS, input::PREDICTIONS].contains(&error.input()) {
        return error;
    }
    let index = error.index().to_vec();
    let n_of_runs = match error.input() {
        input::ERRORS => 2,
        _ => 1,
    };
    let Some(runs) = index.get(..n_of_runs) else {
        return error;
    };
    if runs.iter().all(|&run| run < n_first) {
        return error.owner(FIRST);
    }
    if runs.iter().any(|&run| run < n_first) {
        return error;
    }
    let shift = |(axis, &i): (usize, &usize)| if axis < n_of_runs { i - n_first } else { i };
    let index: Vec<usize> = index.iter().enumerate().map(shift).collect();
    error.at(&index).owner(SECOND)
}

/// [Whose](Error::owner_name) input an error about the first group is.
pub const FIRST: &str = "the first group";
/// Whose input an error about the second group is.
pub const SECOND: &str = "the second group";

/// How far the groups are apart in a metric, given its values on all pairs of runs. Undefined values
/// are counted unless they are `dropped`.
fn difference(
    values: &[Option<f64>],
    metric: PairMetric,
    dropped: bool,
    assignments: &Assignments,
) -> GroupDifference {
    let (n_first, k) = (assignments.n_first, assignments.n_runs);
    let actual: Vec<bool> = (0..k).map(|run| run < n_first).collect();
    let difference = mean_difference(values, &actual);
    let others = &assignments.others;
    let largest = values
        .iter()
        .flatten()
        .fold(0.0f64, |largest, x| largest.max(x.abs()));
    let p_value = difference.map(|difference| {
        let reach = difference.abs() - TIE * largest;
        let as_far = parallel::map(others.len(), |i| {
            mean_difference(values, &others[i]).is_none_or(|other| other.abs() >= reach)
        });
        let as_far = as_far.into_iter().filter(|&is| is).count();
        (as_far + 1) as f64 / (others.len() + 1) as f64
    });
    GroupDifference {
        metric,
        first: within(values, k, 0..n_first, dropped),
        second: within(values, k, n_first..k, dropped),
        difference,
        p_value,
        n_assignments: others.len() as u64 + 1,
        exact: assignments.exact,
    }
}

/// The values on the pairs of some of `k` runs.
fn within(values: &[Option<f64>], k: usize, runs: Range<usize>, dropped: bool) -> Summary {
    let pairs = runs
        .clone()
        .flat_map(|i| (i + 1..runs.end).map(move |j| values[pair_index(k, i, j)]));
    // A value that is not finite was an error before.
    Summary::from_values(pairs.filter(|value| value.is_some() || !dropped)).unwrap_or_default()
}

/// The mean over the pairs within the first group less that within the second.
fn mean_difference(values: &[Option<f64>], in_first: &[bool]) -> Option<f64> {
    let mut sums = [(0.0, 0u64); 2];
    let mut values = values.iter();
    for (i, &group) in in_first.iter().enumerate() {
        for (&other, value) in in_first[i + 1..].iter().zip(&mut values) {
            if let Some(value) = value.filter(|_| group == other) {
                let sum = &mut sums[usize::from(group)];
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
    }
    let mean = |(sum, n): (f64, u64)| (n > 0).then(|| sum / n as f64);
    Some(mean(sums[1])? - mean(sums[0])?)
}

/// Which runs are in the first group, for each assignment but the actual one.
pub(super) struct Assignments {
    pub(super) n_first: usize,
    pub(super) n_runs: usize,
    /// Whether these are all there are; else they were drawn.
    pub(super) exact: bool,
    pub(super) others: Vec<Vec<bool>>,
}

impl Assignments {
    /// All there are beside the actual one if they are no more, else drawn ones.
    pub(super) fn new(n_first: usize, n_runs: usize, at_most: u64, seed: u64) -> Self {
        let actual: Vec<bool> = (0..n_runs).map(|run| run < n_first).collect();
        let exact = count(n_runs, n_first).is_some_and(|all| all <= at_most);
        let others = if exact {
            let mut others = Vec::new();
            let mut next = actual;
            while advance(&mut next) {
                others.push(next.clone());
            }
            others
        } else {
            let n = usize::try_from(at_most - 1).unwrap_or(usize::MAX);
            parallel::map(n, |item| {
                let mut stream = random_stream(seed, item as u64);
                let mut shuffled = actual.clone();
                for i in 0..n_runs {
                    let drawn = i + uniform_index(&mut stream, n_runs - i);
                    shuffled.swap(i, drawn);
                }
                shuffled
            })
        };
        Self {
            n_first,
            n_runs,
            exact,
            others,
        }
    }
}

/// The number of ways to choose `k` of `n`; `None` beyond 2^64.
fn count(n: usize, k: usize) -> Option<u64> {
    (0..k.min(n - k) as u64).try_fold(1u64, |ways, i| {
        let product = u128::from(ways) * u128::from(n as u64 - i) / u128::from(i + 1);
        u64::try_from(product).ok()
    })
}

/// The next choice in descending lexicographic order, from the one that chooses the first; false after
/// the last.
fn advance(chosen: &mut [bool]) -> bool {
    // The last chosen one that can move right does, and those after it follow closely.
    let Some(at) = (0..chosen.len().saturating_sub(1))
        .rev()
        .find(|&i| chosen[i] && !chosen[i + 1])
    else {
        return false;
    };
    let after = chosen[at + 2..].iter().filter(|&&is| is).count();
    chosen[at] = false;
    chosen[at + 1] = true;
    for (i, is) in chosen[at + 2..].iter_mut().enumerate() {
        *is = i < after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_assignment_is_met_once() {
        for (n, k) in [(4, 2), (6, 3), (7, 2), (5, 4)] {
            let assignments = Assignments::new(k, n, 1000, 1);
            let mut all = assignments.others.clone();
            all.push((0..n).map(|run| run < k).collect());
            assert_eq!(Some(all.len() as u64), count(n, k));
            all.sort();
            all.dedup();
            assert_eq!(Some(all.len() as u64), count(n, k));
            assert!(all.iter().all(|a| a.iter().filter(|&&is| is).count() == k));
        }
        assert_eq!(count(60, 30), Some(118_264_581_564_861_424));
        assert_eq!(count(200, 100), None);
    }
}
