//! How many features are removed at each point of a curve.

use std::str::FromStr;
use std::sync::Arc;

use xai_core::{Error, Real, Result};

use crate::batch::run_data::{RunData, RunWork};
use crate::input;
use crate::perturbation::features::Features;

/// How many features the steps of a curve flip.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// The number of steps, or their size.
    pub count: StepCount,
    /// The share of features that the last step has flipped, in (0, 1].
    pub max_fraction: f64,
}

/// The number of steps of a curve, or their size.
#[derive(Debug, Clone, PartialEq)]
pub enum StepCount {
    /// So many, at least 1: at step `j` the first `⌊j · max / steps⌋` features are flipped.
    Number(usize),
    /// So many features each, at least 1; the last step may be smaller.
    Size(usize),
    /// Steps to these shares of the features, ascending, in (0, 1]: the nearest numbers, at least 1.
    Shares(Arc<[f64]>),
}

impl Default for Steps {
    /// 10 steps over all features.
    fn default() -> Self {
        Self {
            count: StepCount::Number(10),
            max_fraction: 1.0,
        }
    }
}

impl FromStr for StepCount {
    type Err = Error;

    /// A number of steps, `all` for one per feature, or `every:4` for steps of so many features.
    fn from_str(text: &str) -> Result<Self> {
        if text == "all" {
            return Ok(Self::Size(1));
        }
        let expected = "a number of steps, at least 1, all, or every:FEATURES";
        let number = |digits: &str| {
            let number = digits.trim().parse();
            number.map_err(|_| Error::parameter(input::STEPS, text, expected))
        };
        match text.strip_prefix("every:") {
            Some(size) => number(size).map(Self::Size),
            None => number(text).map(Self::Number),
        }
    }
}

/// A curve of more points has more points than an input has positions.
const MOST_STEPS: usize = 1 << 24;

impl Steps {
    /// How many features are flipped at each point of a curve over so many of them, ascending;
    /// parameters checked. Steps that flip the same number, of which a curve of more steps than
    /// features has some, are one point.
    pub(crate) fn counts(&self, features: usize) -> Result<Vec<usize>> {
        let max_fraction = self.max_fraction;
        match &self.count {
            StepCount::Number(given) | StepCount::Size(given) => {
                if !(1..=MOST_STEPS).contains(given) {
                    let expected = "at least 1 and at most 16 777 216, or one step per position";
                    return Err(Error::parameter(input::STEPS, given, expected));
                }
            }
            StepCount::Shares(shares) => {
                let ascend = shares.windows(2).all(|pair| pair[0] < pair[1]);
                let within = shares.iter().all(|&share| share > 0.0 && share <= 1.0);
                if shares.is_empty() || !ascend || !within {
                    let expected = "ascending shares in (0, 1]";
                    return Err(Error::parameter(
                        input::STEPS,
                        format!("{shares:?}"),
                        expected,
                    ));
                }
            }
        }
        let fraction =
            |expected: String| Error::parameter(input::MAX_FRACTION, max_fraction, expected);
        if !(max_fraction > 0.0 && max_fraction <= 1.0) {
            return Err(fraction("a share in (0, 1]".into()));
        }
        let max = (features as f64 * max_fraction).floor() as usize;
        if max == 0 {
            return Err(fraction(format!(
                "a share that flips at least one of {features} positions"
            )));
        }
        Ok(match &self.count {
            StepCount::Number(steps) => {
                let steps = *steps.min(&max); // more of them repeat the same max + 1 counts
                (0..=steps).map(|j| j * max / steps).collect()
            }
            StepCount::Size(size) => (0..max).step_by(*size).chain([max]).collect(),
            StepCount::Shares(shares) => {
                let nearest = |share: &f64| ((share * features as f64).round() as usize).max(1);
                let mut counts: Vec<usize> = std::iter::once(0)
                    .chain(shares.iter().map(nearest))
                    .collect();
                counts.dedup();
                counts
            }
        })
    }
}

/// The counts of a curve over features.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counts {
    pub(crate) steps: Steps,
    pub(crate) features: Features,
}

impl<T: Real> RunWork<T> for Counts {
    type Output = Arc<Vec<usize>>;

    fn compute(&self, run: &RunData<'_, T>) -> Result<Arc<Vec<usize>>> {
        self.steps.counts(self.features.most(run)?).map(Arc::new)
    }
}
