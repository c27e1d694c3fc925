//! Permutation test of whether two groups of runs are equally reproducible.

use std::ops::Range;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, concatenate};
use xai_core::describe::Parameters;
use xai_core::random::{random_stream, uniform_index};
use xai_core::{Error, Label, Real, Result, Summary, parallel};

use crate::counting::pair_tiles::pair_index;
use crate::input;
use crate::pair_metric::definition::PairMetric;
use crate::pairwise::options::Pairwise;
use crate::regression::definition::RegressionMetric;
use crate::regression::formulas::METRICS as REGRESSION_METRICS;
use crate::regression::reproducibility::RegressionReproducibility;

/// Difference between two groups of runs in one metric, with its p-value.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GroupDifference<M = PairMetric> {
    /// Metric that was compared.
    pub metric: M,
    /// Distribution of the metric over the pairs of the first group.
    pub first: Summary,
    /// Distribution of the metric over the pairs of the second group.
    pub second: Summary,
    /// Mean of the first group minus mean of the second; `None` if either is undefined.
    pub difference: Option<f64>,
    /// Share of the assignments of runs to groups whose difference is at least as large in magnitude, in (0, 1]; `None`
    /// without a difference.
    pub p_value: Option<f64>,
    /// Number of assignments, including the actual one.
    pub n_assignments: u64,
    /// True if these are all possible assignments, false if they were drawn at random.
    pub exact: bool,
}

/// Permutation test of two groups of runs on the same samples, for example two methods or two sizes of the training
/// set.
///
/// The statistic is the difference between the mean of a metric over the pairs *within* the first group and within the
/// second. If the groups are equally reproducible and make the same kind of predictions, it does not matter which run
/// is in which group. The statistic is therefore compared with its values under other assignments of the runs to
/// groups: all assignments if there are few enough, otherwise a random sample. The actual assignment is counted, too,
/// which makes the test valid for any number of assignments.
///
/// Under other assignments, pairs of runs from different groups are used. Groups that are consistent within but not
/// with each other therefore make the test less powerful, but not invalid.
///
/// An assignment under which a group has no defined pair counts as at least as large.
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
    /// Largest number of assignments of runs to groups, including the actual one. If there are no more, all are used.
    #[param(at_least = 2, at_most = 10_000_000)]
    n_assignments: u64,
    /// Seed of random assignments.
    seed: u64,
}

/// Tolerance for equal differences, relative to the largest value. Assignments with the same mathematical difference
/// add the values in different orders, and rounding must not decide whether they count as at least as large.
const TIE: f64 = 1e-12;

impl Default for GroupComparison {
    fn default() -> Self {
        Self::new(Pairwise::new())
    }
}

impl GroupComparison {
    /// Creates a test of the metrics in `options` with up to 10 000 assignments and seed 1.
    #[must_use]
    pub fn new(options: Pairwise) -> Self {
        Self {
            options,
            n_assignments: 10_000,
            seed: 1,
        }
    }

    /// Sets the metrics to compare (default: all).
    #[must_use]
    pub fn metrics(mut self, metrics: &[PairMetric]) -> Self {
        self.options = self.options.metrics(metrics);
        self
    }

    /// Options of the pairwise evaluation.
    #[must_use]
    pub fn options(&self) -> &Pairwise {
        &self.options
    }

    /// Compares `(k_1, n)` and `(k_2, n)` predictions of the same samples with `(n,)` true labels.
    ///
    /// # Errors
    /// `InvalidParameter` for fewer than two assignments or more than 10 000 000, `TooFew` about [`input::RUNS`] for a
    /// group of fewer than two runs, `ShapeMismatch` if the groups have different numbers of samples; otherwise as
    /// [`Pairwise::evaluate`]. An error about the runs of one group has [`FIRST`] or [`SECOND`] as its owner, and its
    /// index counts the runs of that group.
    pub fn compare<L: Label, M: Label>(
        &self,
        first: ArrayView2<'_, L>,
        second: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<Vec<GroupDifference>> {
        self.check_params()?;
        // The pairs of all runs are evaluated once. An assignment only selects among their values.
        let all = joined(first, second)?;
        let evaluated = self.options.evaluate(all.view(), labels);
        let runs = evaluated.map_err(|error| with_group(error, first.nrows()))?;
        let assignments = self.assignments(first.nrows(), all.nrows());
        let difference = |&metric: &PairMetric| {
            let dropped = self.options.empty_union.drops(metric);
            difference(runs.pairs(metric), metric, dropped, &assignments)
        };
        Ok(self.options.metrics.iter().map(difference).collect())
    }

    /// Compares `(k_1, n)` and `(k_2, n)` numeric predictions of the same samples with `(n,)` targets by every
    /// regression metric. Of the options, only the number of assignments and the seed apply.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_repro::{GroupComparison, RegressionMetric};
    /// let targets = array![1.0, 2.0, 3.0];
    /// let alike = array![[1.0, 2.0, 4.0], [1.0, 2.0, 4.0], [1.0, 2.0, 4.0]];
    /// let apart = array![[1.0, 2.0, 3.0], [4.0, 2.0, 3.0], [1.0, 5.0, 3.0]];
    /// let results = GroupComparison::default().compare_regression(alike.view(), apart.view(), targets.view())?;
    /// let mae = results.iter().find(|result| result.metric == RegressionMetric::MAE).unwrap();
    /// // No difference within the first group. In the second, two pairs differ by 3 once, one pair twice.
    /// assert_eq!((mae.first.mean, mae.second.mean), (Some(0.0), Some(4.0 / 3.0)));
    /// assert_eq!(mae.p_value, Some(0.4)); // 8 of 20 assignments differ by at least as much
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`compare`](Self::compare) and [`RegressionReproducibility::new`].
    pub fn compare_regression<T: Real, U: Real>(
        &self,
        first: ArrayView2<'_, T>,
        second: ArrayView2<'_, T>,
        targets: ArrayView1<'_, U>,
    ) -> Result<Vec<GroupDifference<RegressionMetric>>> {
        self.check_params()?;
        let all = joined(first, second)?;
        let evaluated = RegressionReproducibility::new(all.view(), targets);
        let runs = evaluated.map_err(|error| with_group(error, first.nrows()))?;
        let assignments = self.assignments(first.nrows(), all.nrows());
        let difference = |&metric: &RegressionMetric| {
            difference(runs.pairs(metric), metric, false, &assignments)
        };
        Ok(REGRESSION_METRICS.iter().map(difference).collect())
    }

    fn assignments(&self, n_first: usize, n_runs: usize) -> Assignments {
        Assignments::new(n_first, n_runs, self.n_assignments, self.seed)
    }
}

/// The runs of both groups, after a check that each has two runs and that they have the same samples.
fn joined<T: Clone>(first: ArrayView2<'_, T>, second: ArrayView2<'_, T>) -> Result<Array2<T>> {
    for (owner, group) in [(FIRST, &first), (SECOND, &second)] {
        if group.nrows() < 2 {
            return Err(Error::too_few(input::RUNS, 2, group.nrows()).owner(owner));
        }
    }
    let (expected, actual) = ([second.nrows(), first.ncols()], second.dim());
    concatenate(Axis(0), &[first, second]).map_err(|_| {
        Error::shape(input::PREDICTIONS, &expected, &[actual.0, actual.1]).owner(SECOND)
    })
}

/// Changes an error about runs of one group: its owner becomes the group, and its index counts the runs of the group.
fn with_group(error: Error, n_first: usize) -> Error {
    if ![input::ERRORS, input::PREDICTIONS].contains(&error.input()) {
        return error;
    }
    let index = error.index().to_vec();
    // Errors of a pair are indexed by two runs, predictions by a run and a sample.
    let n_run_axes = match error.input() {
        input::ERRORS => 2,
        _ => 1,
    };
    let Some(runs) = index.get(..n_run_axes) else {
        return error;
    };
    if runs.iter().all(|&run| run < n_first) {
        return error.owner(FIRST);
    }
    if runs.iter().any(|&run| run < n_first) {
        return error;
    }
    let shift = |(axis, &i): (usize, &usize)| if axis < n_run_axes { i - n_first } else { i };
    let index_in_group: Vec<usize> = index.iter().enumerate().map(shift).collect();
    error.at(&index_in_group).owner(SECOND)
}

/// [Owner](Error::owner_name) of errors about the first group.
pub const FIRST: &str = "the first group";
/// [Owner](Error::owner_name) of errors about the second group.
pub const SECOND: &str = "the second group";

/// Compares the groups in one metric, given its values for all pairs of runs. Undefined values are counted in the
/// summaries unless they are `dropped`.
fn difference<M>(
    values: &[Option<f64>],
    metric: M,
    dropped: bool,
    assignments: &Assignments,
) -> GroupDifference<M> {
    let (n_first, k) = (assignments.n_first, assignments.n_runs);
    let actual: Vec<bool> = (0..k).map(|run| run < n_first).collect();
    let difference = mean_difference(values, &actual);
    let others = &assignments.others;
    let largest = values
        .iter()
        .flatten()
        .fold(0.0f64, |largest, x| largest.max(x.abs()));
    let p_value = difference.map(|difference| {
        let threshold = difference.abs() - TIE * largest;
        let is_as_large = parallel::map(others.len(), |i| {
            mean_difference(values, &others[i]).is_none_or(|other| other.abs() >= threshold)
        });
        let n_as_large = is_as_large.into_iter().filter(|&is| is).count();
        // Plus 1 for the actual assignment.
        (n_as_large + 1) as f64 / (others.len() + 1) as f64
    });
    GroupDifference {
        metric,
        first: summary_within(values, k, 0..n_first, dropped),
        second: summary_within(values, k, n_first..k, dropped),
        difference,
        p_value,
        n_assignments: others.len() as u64 + 1,
        exact: assignments.exact,
    }
}

/// Summary of the values of the pairs within a range of the `k` runs.
fn summary_within(values: &[Option<f64>], k: usize, runs: Range<usize>, dropped: bool) -> Summary {
    let pairs = runs
        .clone()
        .flat_map(|i| (i + 1..runs.end).map(move |j| values[pair_index(k, i, j)]));
    // Fails only for values that are not finite, which are rejected before.
    Summary::from_values(pairs.filter(|value| value.is_some() || !dropped)).unwrap_or_default()
}

/// Mean over the pairs within the first group minus mean over the pairs within the second. `in_first[run]` is the
/// assignment.
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

/// Assignments of runs to the two groups.
pub(super) struct Assignments {
    pub(super) n_first: usize,
    pub(super) n_runs: usize,
    /// True if these are all possible assignments, false if they were drawn at random.
    pub(super) exact: bool,
    /// For each assignment but the actual one, and each run, true if the run is in the first group.
    pub(super) others: Vec<Vec<bool>>,
}

impl Assignments {
    /// Lists all assignments if there are at most `max_assignments`, otherwise draws that many, including the actual
    /// one.
    pub(super) fn new(n_first: usize, n_runs: usize, max_assignments: u64, seed: u64) -> Self {
        let actual: Vec<bool> = (0..n_runs).map(|run| run < n_first).collect();
        let exact = count(n_runs, n_first).is_some_and(|all| all <= max_assignments);
        let others = if exact {
            let mut others = Vec::new();
            let mut next = actual;
            while advance(&mut next) {
                others.push(next.clone());
            }
            others
        } else {
            let n = usize::try_from(max_assignments - 1).unwrap_or(usize::MAX);
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

/// Number of ways to choose `k` of `n`; `None` if it does not fit into `u64`.
fn count(n: usize, k: usize) -> Option<u64> {
    // Each step multiplies by (n − i) / (i + 1). The division has no remainder, because the result is C(n, i + 1).
    (0..k.min(n - k) as u64).try_fold(1u64, |ways, i| {
        let product = u128::from(ways) * u128::from(n as u64 - i) / u128::from(i + 1);
        u64::try_from(product).ok()
    })
}

/// Changes `chosen` to the next choice of the same size in descending lexicographic order; false after the last.
///
/// The first choice in this order has all its elements at the beginning.
fn advance(chosen: &mut [bool]) -> bool {
    // The last chosen element with a free place on its right moves there. All chosen elements after it move directly
    // behind it.
    let Some(at) = (0..chosen.len().saturating_sub(1))
        .rev()
        .find(|&i| chosen[i] && !chosen[i + 1])
    else {
        return false;
    };
    let n_after = chosen[at + 2..].iter().filter(|&&is| is).count();
    chosen[at] = false;
    chosen[at + 1] = true;
    for (i, is_chosen) in chosen[at + 2..].iter_mut().enumerate() {
        *is_chosen = i < n_after;
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
