//! Settings and computation of intervals: a bias-corrected bootstrap over samples, and Wilson's
//! interval of proportions.

use std::ops::Range;

use crate::statistics::resampling::visit_draws;
use crate::statistics::{bootstrap_bca, wilson};
use crate::sum::dot;
use crate::{Error, ExactMean, Interval, Result, parallel};

use crate::input;

/// Settings of intervals. They are computed by the bias-corrected and accelerated bootstrap over
/// samples (BCa), or by Wilson's formula if a metric is a proportion and every sample has 0 or 1
/// (Average Increase).
///
/// In 2 000 simulated data sets each, BCa intervals of level .95 cover the mean of 10 to 200 values
/// in .91 to .95 of them. For a proportion of 5 % of 30 samples they cover .77, and Wilson's
/// intervals cover .94. BCa intervals over 20 values or fewer are
/// [marked](crate::Interval::is_small_sample).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Statistics {
    /// Coverage of the intervals, in (0, 1). Default: 0.95.
    pub level: f64,
    /// Number of bootstrap replicates. With 0 there are no intervals, with 1 none of means. Default:
    /// 1000.
    pub replicates: usize,
    /// Seed of the bootstrap. Default: 1.
    pub seed: u64,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            level: 0.95,
            replicates: 1000,
            seed: 1,
        }
    }
}

impl Statistics {
    /// Checks the settings.
    ///
    /// # Errors
    /// `InvalidParameter` for a level outside (0, 1) or more than a million replicates.
    pub fn check(&self) -> Result<()> {
        if self.replicates > 1_000_000 {
            return Err(Error::parameter(
                input::N_REPLICATES,
                self.replicates,
                "at most 1 000 000",
            ));
        }
        if self.level > 0.0 && self.level < 1.0 {
            Ok(())
        } else {
            Err(Error::parameter(
                input::LEVEL,
                self.level,
                "a coverage in (0, 1)",
            ))
        }
    }
}

/// Values of one explainer by one metric, as a dense column for weighted sums.
pub(crate) struct Column {
    /// Values; 0 if undefined.
    values: Vec<f64>,
    /// Flags of the defined values; `None` if all are defined.
    defined: Option<Vec<bool>>,
    n_defined: usize,
}

impl Column {
    pub(crate) fn new(per_sample: &[Option<f64>]) -> Self {
        let defined: Vec<bool> = per_sample.iter().map(Option::is_some).collect();
        let n_defined = defined.iter().filter(|d| **d).count();
        Self {
            values: per_sample.iter().map(|s| s.unwrap_or_default()).collect(),
            defined: (n_defined < per_sample.len()).then_some(defined),
            n_defined,
        }
    }

    /// Adds the values of consecutive samples, weighted by the number of times that each was drawn.
    fn add_drawn(&self, drawn: &mut DrawnSum, samples: Range<usize>, times: &[f64]) {
        // Undefined values are stored as 0 and add nothing to the sum.
        drawn.sum += dot(&self.values[samples.clone()], times);
        drawn.count += match &self.defined {
            None => times.iter().sum::<f64>(),
            Some(defined) => {
                let counted = times.iter().zip(&defined[samples]);
                counted
                    .map(|(t, defined)| if *defined { *t } else { 0.0 })
                    .sum()
            }
        };
    }

    /// Interval of the mean; `None` for fewer than two values or two replicates.
    pub(crate) fn interval(
        &self,
        replicates: &[f64],
        level: f64,
        are_shares: bool,
    ) -> Result<Option<Interval>> {
        let defined = || {
            let all = self.values.iter().enumerate();
            let is_defined = |i: usize| self.defined.as_ref().is_none_or(|d| d[i]);
            all.filter(move |(i, _)| is_defined(*i)).map(|(_, &x)| x)
        };
        if self.n_defined < 2 || replicates.len() < 2 {
            return Ok(None);
        }
        if are_shares && defined().all(|x| x == 0.0 || x == 1.0) {
            let ones = defined().filter(|x| *x == 1.0).count();
            return wilson(ones as u64, self.n_defined as u64, level).map(Some);
        }
        let Some(estimate) = defined().collect::<ExactMean>().value() else {
            return Ok(None);
        };
        // The mean without x is (n m − x)/(n − 1) = m + (m − x)/(n − 1); the second form does not cancel.
        let others = (self.n_defined - 1) as f64;
        let leave_one_out: Vec<f64> = defined()
            .map(|x| estimate + (estimate - x) / others)
            .collect();
        bootstrap_bca(estimate, replicates, &leave_one_out, level).map(Some)
    }
}

/// Sum and number of the defined values of a column in one replicate.
#[derive(Clone, Copy, Default)]
struct DrawnSum {
    sum: f64,
    count: f64,
}

/// Bootstrap replicates of the mean of every column.
///
/// Each replicate draws samples with replacement from its own stream. All columns use the same
/// draw, which costs one draw per replicate and one sum per column.
pub(crate) fn replicates(columns: &[Column], n: usize, statistics: &Statistics) -> Vec<Vec<f64>> {
    let drawn = parallel::map(statistics.replicates, |replicate| {
        let mut sums = vec![DrawnSum::default(); columns.len()];
        visit_draws(statistics.seed, replicate as u64, n, |samples, times| {
            for (column, sum) in columns.iter().zip(&mut sums) {
                column.add_drawn(sum, samples.clone(), times);
            }
        });
        sums
    });
    let means = |column: usize| {
        let drawn = drawn.iter().map(|sums| sums[column]);
        let defined = drawn.filter(|drawn| drawn.count > 0.0);
        defined.map(|drawn| drawn.sum / drawn.count).collect()
    };
    (0..columns.len()).map(means).collect()
}
