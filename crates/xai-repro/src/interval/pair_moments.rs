//! How a metric is spread over pairs, in memory that does not grow with their number.

use xai_core::statistics::jackknife;
use xai_core::sum::{ExactSum, Moments};
use xai_core::{Interval, Result, Summary};

/// Number, sum, deviation and extremes of the values of all pairs, and what each run has part in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairMoments {
    of_pairs: Moments,
    n_undefined: u64,
    /// For each run the sum of its pairs' defined values, and their number.
    of_runs: Vec<(ExactSum, u64)>,
}

impl PairMoments {
    pub(crate) fn new(n_runs: usize) -> Self {
        Self {
            of_pairs: Moments::new(),
            n_undefined: 0,
            of_runs: vec![(ExactSum::new(), 0); n_runs],
        }
    }

    /// Adds the value of a pair.
    pub(crate) fn update(&mut self, first: usize, second: usize, value: Option<f64>) {
        let Some(value) = value else {
            self.n_undefined += 1;
            return;
        };
        self.of_pairs.add(value);
        for run in [first, second] {
            self.of_runs[run].0.add(value);
            self.of_runs[run].1 += 1;
        }
    }

    /// Adds another, whose runs are these.
    pub(crate) fn merge(&mut self, other: &Self, runs: impl Iterator<Item = usize>) {
        self.of_pairs.merge(&other.of_pairs);
        self.n_undefined += other.n_undefined;
        for (run, theirs) in runs.zip(&other.of_runs) {
            let mine = &mut self.of_runs[run];
            mine.0.add_sum(&theirs.0);
            mine.1 += theirs.1;
        }
    }

    /// The summary, without quantiles.
    pub(crate) fn summary(&self) -> Summary {
        let count = |n| usize::try_from(n).unwrap_or(usize::MAX);
        Summary {
            n_defined: count(self.of_pairs.count()),
            n_undefined: count(self.n_undefined),
            mean: self.of_pairs.mean(),
            std: self.of_pairs.std(),
            min: self.of_pairs.min(),
            max: self.of_pairs.max(),
            ..Summary::default()
        }
    }

    /// The means without each run; `None` when some run has part in every defined pair.
    fn leave_one_out(&self) -> Option<Vec<f64>> {
        let without = |(with, n_with): &(ExactSum, u64)| {
            let n = self.of_pairs.count().checked_sub(*n_with);
            let n = n.filter(|&n| n > 0)?;
            let mut rest: ExactSum = with.parts().into_iter().map(|part| -part).collect();
            rest.add_sum(self.of_pairs.sum());
            Some(rest.value() / n as f64)
        };
        self.of_runs.iter().map(without).collect()
    }

    /// The jackknife interval of the mean; `None` below three runs, or when some run has part in
    /// every defined pair.
    pub(crate) fn interval(&self, level: f64) -> Result<Option<Interval>> {
        match (self.of_pairs.mean(), self.leave_one_out()) {
            (Some(mean), Some(leave_one_out)) if leave_one_out.len() > 2 => {
                jackknife(mean, &leave_one_out, level).map(Some)
            }
            _ => Ok(None),
        }
    }
}
