//! Are two groups of runs equally reproducible?

use ndarray::{ArrayView2, Axis, concatenate};
use xai_core::{Error, Label, Result, Summary, parallel, random_stream, uniform_index};

use crate::pairwise::pair_index;
use crate::{EmptyUnion, PairMetric, PairwiseReproducibility};

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
/// use xai_repro::{GroupComparison, PairMetric};
/// let labels = [0, 1, 0, 1, 0, 1];
/// let alike = array![[0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 0], [0, 1, 0, 1, 0, 0]];
/// let apart = array![[1, 1, 0, 1, 0, 1], [0, 1, 1, 1, 0, 1], [0, 1, 0, 1, 1, 1]];
/// let test = GroupComparison::new().metrics(&[PairMetric::PaAcc]);
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
#[derive(Debug, Clone, PartialEq)]
pub struct GroupComparison {
    metrics: Vec<PairMetric>,
    empty_union: EmptyUnion,
    n_assignments: u64,
    seed: u64,
}

/// Assignments whose difference is this close are equally far apart: their sums were rounded apart.
const TIE: f64 = 1e-12;

impl Default for GroupComparison {
    fn default() -> Self {
        Self::new()
    }
}

impl GroupComparison {
    /// All metrics, up to 10 000 assignments, seed 1.
    #[must_use]
    pub fn new() -> Self {
        Self {
            metrics: PairMetric::ALL.to_vec(),
            empty_union: EmptyUnion::default(),
            n_assignments: 10_000,
            seed: 1,
        }
    }

    /// Only these metrics.
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

    /// The most assignments to look at, the actual one included: all there are if they are no more.
    #[must_use]
    pub fn n_assignments(mut self, n_assignments: u64) -> Self {
        self.n_assignments = n_assignments;
        self
    }

    /// The seed of drawn assignments.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Compares `(k_1, n)` and `(k_2, n)` predictions of the same samples with `(n,)` true labels.
    ///
    /// # Errors
    /// [`Error::TooFew`] for a group of fewer than two runs, [`Error::ShapeMismatch`] for groups of
    /// different samples, [`Error::InvalidParameter`] for fewer than two assignments; else those of
    /// [`PairwiseReproducibilityBuilder::from_predictions`](crate::PairwiseReproducibilityBuilder::from_predictions).
    pub fn compare<L: Label, M: Label>(
        &self,
        first: ArrayView2<'_, L>,
        second: ArrayView2<'_, L>,
        labels: &[M],
    ) -> Result<Vec<GroupDifference>> {
        for (name, group) in [
            ("runs of the first group", first),
            ("runs of the second group", second),
        ] {
            if group.nrows() < 2 {
                return Err(Error::too_few(name, 2, group.nrows()));
            }
        }
        if !(2..=10_000_000).contains(&self.n_assignments) {
            return Err(Error::parameter(
                "n_assignments",
                self.n_assignments,
                "2 to 10 000 000, the actual one and others",
            ));
        }
        let all = concatenate(Axis(0), &[first, second]).map_err(|_| {
            let expected = [second.nrows(), first.ncols()];
            Error::shape("predictions of the second group", &expected, second.shape())
        })?;
        let runs = PairwiseReproducibility::builder()
            .metrics(&self.metrics)
            .empty_union(self.empty_union)
            .from_predictions(all.view(), labels)?;
        let assignments =
            Assignments::new(first.nrows(), all.nrows(), self.n_assignments, self.seed);
        let of_metric = |&metric: &PairMetric| {
            difference(runs.pairs(metric), metric, self.empty_union, &assignments)
        };
        Ok(self.metrics.iter().map(of_metric).collect())
    }
}

/// Which runs are in the first group, for each assignment but the actual one.
struct Assignments {
    n_first: usize,
    n_runs: usize,
    exact: bool,
    others: Vec<Vec<bool>>,
}

impl Assignments {
    fn new(n_first: usize, n_runs: usize, at_most: u64, seed: u64) -> Self {
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

fn difference(
    values: &[Option<f64>],
    metric: PairMetric,
    empty_union: EmptyUnion,
    assignments: &Assignments,
) -> GroupDifference {
    let k = assignments.n_runs;
    let dropped = metric == PairMetric::EcLocal && empty_union == EmptyUnion::Drop;
    let within = |runs: std::ops::Range<usize>| {
        let pairs = runs
            .clone()
            .flat_map(|i| (i + 1..runs.end).map(move |j| values[pair_index(k, i, j)]));
        // Values are ratios of counts, so they are finite.
        Summary::of(pairs.filter(|value| value.is_some() || !dropped)).unwrap_or_default()
    };
    let (first, second) = (
        within(0..assignments.n_first),
        within(assignments.n_first..k),
    );
    let apart = |in_first: &[bool]| {
        let mut sums = [(0.0, 0u64); 2];
        let mut value = values.iter();
        for i in 0..k {
            for j in i + 1..k {
                let value = value.next().copied().flatten();
                if let Some(value) = value.filter(|_| in_first[i] == in_first[j]) {
                    let sum = &mut sums[usize::from(in_first[i])];
                    *sum = (sum.0 + value, sum.1 + 1);
                }
            }
        }
        #[allow(clippy::cast_precision_loss)] // fewer pairs than 2^53
        let mean = |(sum, n): (f64, u64)| (n > 0).then(|| sum / n as f64);
        Some(mean(sums[1])? - mean(sums[0])?)
    };
    let actual: Vec<bool> = (0..k).map(|run| run < assignments.n_first).collect();
    let difference = apart(&actual);
    #[allow(clippy::cast_precision_loss)]
    let p_value = difference.map(|difference| {
        let reach = difference.abs() - TIE;
        let others = &assignments.others;
        let as_far = parallel::map(others.len(), |i| {
            apart(&others[i]).is_none_or(|other| other.abs() >= reach)
        });
        let as_far = as_far.into_iter().filter(|&is| is).count();
        (as_far + 1) as f64 / (others.len() + 1) as f64
    });
    GroupDifference {
        metric,
        first,
        second,
        difference,
        p_value,
        n_assignments: assignments.others.len() as u64 + 1,
        exact: assignments.exact,
    }
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
