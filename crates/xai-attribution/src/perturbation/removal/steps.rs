//! Schedule of a curve: number of removed features at each point.

use std::sync::Arc;

use xai_core::describe::{Parameter, Parameters};
use xai_core::{Error, Real, Result};

use crate::batch::{Dataset, DatasetWork};
use crate::input;
use crate::perturbation::Features;

/// Numbers of features flipped along a curve.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Steps {
    /// Steps of the curve: their number, their size, or the numbers or shares of features after each: 10, every:4,
    /// 1,2,5, or 0.1,0.5. The number of flipped features is rounded down for a number of steps, and to the nearest
    /// integer for a share.
    #[param(name = "steps", no_setter)]
    pub count: StepCount,
    /// Share of features flipped by the last step.
    #[param(above = 0, at_most = 1)]
    pub max_fraction: f64,
}

/// Number or size of the steps of a curve.
#[derive(Debug, Clone, PartialEq, Parameter)]
#[param(name = "steps")]
#[non_exhaustive]
pub enum StepCount {
    /// One step per feature.
    All,
    /// This number of steps, at least 1: step `j` has flipped the first `⌊j · max / steps⌋` features.
    #[param(plain, at_least = 1, at_most = MAX_STEPS)]
    Number(usize),
    /// Steps of this number of features each, at least 1. The last step may be smaller.
    #[param(name = "every", value_name = "FEATURES", at_least = 1, at_most = MAX_STEPS)]
    Size(usize),
    /// Steps to these numbers of features, ascending, at least 1. A number above that of the features means all.
    #[param(plain, items, at_least = 1, at_most = MAX_STEPS)]
    Counts(Arc<[usize]>),
    /// Steps to these shares of the features, ascending, in (0, 1], rounded to the nearest number, at least 1.
    #[param(plain, items, above = 0, at_most = 1)]
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

/// Limit on the number and the size of steps, above the number of positions of any input.
const MAX_STEPS: usize = 1 << 24;

impl Steps {
    /// Checks the parameters and returns the number of flipped features at each point of a curve over `features`
    /// features, ascending from 0. Steps that flip the same number (if there are more steps than features) are merged
    /// into one point.
    pub(crate) fn counts(&self, features: usize) -> Result<Vec<usize>> {
        let max_fraction = self.max_fraction;
        self.check_params()?;
        let (is_ascending, expected) = match &self.count {
            StepCount::Shares(shares) => (ascends(shares), "ascending shares in (0, 1]"),
            StepCount::Counts(counts) => (ascends(counts), "ascending numbers of features"),
            _ => (true, ""),
        };
        if !is_ascending {
            let actual = self.count.to_value();
            return Err(Error::parameter(input::STEPS, actual, expected));
        }
        // Rounded down: a fraction below 1 always leaves something of the input.
        let max = (features as f64 * max_fraction).floor() as usize;
        let ignores_max = matches!(self.count, StepCount::Counts(_) | StepCount::Shares(_));
        if max == 0 && !ignores_max {
            let expected = format!("a share that flips at least one of {features} positions");
            return Err(Error::parameter(
                input::MAX_FRACTION,
                max_fraction,
                expected,
            ));
        }
        Ok(match &self.count {
            StepCount::Number(steps) => {
                // More than `max` steps would only repeat the same `max + 1` counts.
                let steps = *steps.min(&max);
                (0..=steps).map(|j| j * max / steps).collect()
            }
            StepCount::All => (0..=max).collect(),
            StepCount::Size(size) => (0..max).step_by(*size).chain([max]).collect(),
            StepCount::Counts(counts) => {
                from_zero(counts.iter().map(|count| *count.min(&features)))
            }
            StepCount::Shares(shares) => from_zero(
                shares
                    .iter()
                    .map(|share| ((share * features as f64).round() as usize).max(1)),
            ),
        })
    }
}

fn ascends<V: PartialOrd>(points: &[V]) -> bool {
    !points.is_empty() && points.windows(2).all(|pair| pair[0] < pair[1])
}

/// Prepends 0 and removes repeated counts.
fn from_zero(counts: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut counts: Vec<usize> = std::iter::once(0).chain(counts).collect();
    counts.dedup();
    counts
}

/// Writes the setters for the [`Steps`] of a metric.
macro_rules! step_setters {
    ($metric:ident $(<$kind:ident>)?) => {
        impl $(<$kind>)? $metric $(<$kind>)? {
            /// The number of steps, at least 1; `None` is one step per feature.
            #[must_use]
            pub fn steps(mut self, steps: Option<usize>) -> Self {
                use crate::perturbation::StepCount;
                self.steps.count = steps.map_or(StepCount::All, StepCount::Number);
                self
            }

            /// The shares of features after each step, ascending, in (0, 1]: the nearest numbers, at least 1.
            #[must_use]
            pub fn shares(mut self, shares: &[f64]) -> Self {
                self.steps.count = crate::perturbation::StepCount::Shares(shares.into());
                self
            }

            /// The share of features that the last step has flipped, in (0, 1]. Ignored if the steps are given as
            /// numbers or shares of features.
            #[must_use]
            pub fn max_fraction(mut self, max_fraction: f64) -> Self {
                self.steps.max_fraction = max_fraction;
                self
            }
        }
    };
}
pub(crate) use step_setters;

/// Schedule of a curve over features, computed once per run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counts {
    pub(crate) steps: Steps,
    pub(crate) features: Features,
}

impl<T: Real> DatasetWork<T> for Counts {
    type Output = Arc<Vec<usize>>;

    fn compute(&self, dataset: &Dataset<'_, T>) -> Result<Arc<Vec<usize>>> {
        self.steps
            .counts(self.features.max_count(dataset)?)
            .map(Arc::new)
    }
}
