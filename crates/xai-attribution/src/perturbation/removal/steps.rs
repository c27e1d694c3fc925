//! How many features are removed at each point of a curve.

use std::sync::Arc;

use xai_core::describe::{Parameter, Parameters};
use xai_core::{Error, Real, Result};

use crate::batch::{RunData, RunWork};
use crate::input;
use crate::perturbation::Features;

/// How many features the steps of a curve flip.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Steps {
    /// How many steps the curve has, their size, or the numbers or shares of features after each: 10, every:4, 1,2,5, or 0.1,0.5.
    /// How many features a step has flipped is rounded down for a number of steps, to the nearest for a share.
    #[param(name = "steps", no_setter)]
    pub count: StepCount,
    /// The share of features that the last step has flipped.
    #[param(above = 0, at_most = 1)]
    pub max_fraction: f64,
}

/// The number of steps of a curve, or their size.
#[derive(Debug, Clone, PartialEq, Parameter)]
#[param(name = "steps")]
pub enum StepCount {
    /// One step per feature.
    All,
    /// So many, at least 1: at step `j` the first `⌊j · max / steps⌋` features are flipped.
    #[param(plain, at_least = 1, at_most = MOST_STEPS)]
    Number(usize),
    /// Steps of so many features each, at least 1; the last step may be smaller.
    #[param(name = "every", value_name = "FEATURES", at_least = 1, at_most = MOST_STEPS)]
    Size(usize),
    /// Steps to these numbers of features, ascending, at least 1; of fewer features all.
    #[param(plain, items, at_least = 1, at_most = MOST_STEPS)]
    Counts(Arc<[usize]>),
    /// Steps to these shares of the features, ascending, in (0, 1]: the nearest numbers, at least 1.
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

/// A curve of more points has more points than an input has positions.
const MOST_STEPS: usize = 1 << 24;

impl Steps {
    /// How many features are flipped at each point of a curve over so many of them, ascending;
    /// parameters checked. Steps that flip the same number, of which a curve of more steps than
    /// features has some, are one point.
    pub(crate) fn counts(&self, features: usize) -> Result<Vec<usize>> {
        let max_fraction = self.max_fraction;
        self.check_params()?;
        let (ascend, expected) = match &self.count {
            StepCount::Shares(shares) => (ascend(shares), "ascending shares in (0, 1]"),
            StepCount::Counts(counts) => (ascend(counts), "ascending numbers of features"),
            _ => (true, ""),
        };
        if !ascend {
            let given = self.count.to_value();
            return Err(Error::parameter(input::STEPS, given, expected));
        }
        let max = (features as f64 * max_fraction).floor() as usize;
        if max == 0 {
            let expected = format!("a share that flips at least one of {features} positions");
            return Err(Error::parameter(
                input::MAX_FRACTION,
                max_fraction,
                expected,
            ));
        }
        Ok(match &self.count {
            StepCount::Number(steps) => {
                let steps = *steps.min(&max); // more of them repeat the same max + 1 counts
                (0..=steps).map(|j| j * max / steps).collect()
            }
            StepCount::All => (0..=max).collect(),
            StepCount::Size(size) => (0..max).step_by(*size).chain([max]).collect(),
            StepCount::Counts(counts) => {
                from_none(counts.iter().map(|count| *count.min(&features)))
            }
            StepCount::Shares(shares) => from_none(
                shares
                    .iter()
                    .map(|share| ((share * features as f64).round() as usize).max(1)),
            ),
        })
    }
}

fn ascend<V: PartialOrd>(points: &[V]) -> bool {
    !points.is_empty() && points.windows(2).all(|pair| pair[0] < pair[1])
}

/// No features and then so many, each number once.
fn from_none(counts: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut counts: Vec<usize> = std::iter::once(0).chain(counts).collect();
    counts.dedup();
    counts
}

/// Writes the setters of the [`Steps`] of a metric.
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

            /// The share of features that the last step has flipped, in (0, 1].
            #[must_use]
            pub fn max_fraction(mut self, max_fraction: f64) -> Self {
                self.steps.max_fraction = max_fraction;
                self
            }
        }
    };
}
pub(crate) use step_setters;

/// The counts of a curve over features.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counts {
    pub(crate) steps: Steps,
    pub(crate) features: Features,
}

impl<T: Real> RunWork<T> for Counts {
    type Output = Arc<Vec<usize>>;

    fn compute(&self, run: &RunData<'_, T>) -> Result<Arc<Vec<usize>>> {
        self.steps
            .counts(self.features.max_count(run)?)
            .map(Arc::new)
    }
}
