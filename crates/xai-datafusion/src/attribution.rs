//! Metrics over base and masked scores.

use std::marker::PhantomData;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{DataFusionError, Result};
use xai_attribution::metric::{
    AverageDrop, DropFormula, GainFormula, IncreaseFormula, ScoreFormula, ScoreMetric,
};
use xai_core::simd::{InstructionSet, Simd, SimdKernel};

use crate::aggregate::{Definition, Groups, MeanMetric, MeanStates, Rows, mean_state};
use crate::function::{Argument, Call, Kind, failed};
use crate::{help, input};

pub(crate) const AVERAGE_DROP: Definition = Definition {
    name: "average_drop",
    description: "The mean of max(0, base - masked) / (base + 1e-8) over scores of the predicted class on the whole \
                  input and on what a map keeps of it; in [0, 1] for probabilities, lower is better. NULL without rows. \
                  The policy is about base scores of 0 or less.",
    example: "SELECT explainer, average_drop(base, masked) FROM scores GROUP BY explainer",
    arguments: &[
        Argument::new("base", Kind::Number),
        Argument::new("masked", Kind::Number),
        Argument::parameter::<AverageDrop>("base_score_policy"),
    ],
    result: || DataType::Float64,
    state: mean_state,
    groups: groups::<DropFormula>,
};

pub(crate) const AVERAGE_INCREASE: Definition = Definition {
    name: "average_increase",
    description: "The share of rows whose masked score is above the base score; in [0, 1], higher is better. \
                  NULL without rows.",
    example: "SELECT explainer, average_increase(base, masked) FROM scores GROUP BY explainer",
    groups: groups::<IncreaseFormula>,
    ..AVERAGE_DROP
};

pub(crate) const AVERAGE_GAIN: Definition = Definition {
    name: "average_gain",
    description: "The mean of max(0, masked - base) / (1 - base + 1e-8); in [0, 1] for probabilities, higher is better. \
                  NULL without rows. The policy is about base scores above 1.",
    example: "SELECT explainer, average_gain(base, masked) FROM scores GROUP BY explainer",
    groups: groups::<GainFormula>,
    ..AVERAGE_DROP
};

fn groups<F: ScoreFormula>(call: &Call) -> Result<Box<dyn Groups>> {
    let function = call.function;
    let metric = ScoreMean::<F> {
        function,
        metric: call.set(ScoreMetric::new())?,
    };
    Ok(Box::new(MeanStates::new(function, metric)))
}

/// Rows whose values are computed at a time: few enough that scores and values stay in the nearest cache.
const BLOCK: usize = 512;

/// The mean of a formula.
struct ScoreMean<F> {
    function: &'static str,
    metric: ScoreMetric<F>,
}

impl<F: ScoreFormula> Clone for ScoreMean<F> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<F: ScoreFormula> MeanMetric for ScoreMean<F> {
    fn each(&mut self, rows: &Rows<'_>, mut add: impl FnMut(usize, f64)) -> Result<()> {
        let [base, masked] = [0, 1].map(|at| rows.arguments[at].as_primitive::<Float64Type>());
        let (base, masked) = (&base.values()[..], &masked.values()[..]);
        // Every row by itself: one that is not ordinary is an error, or has no value.
        let value_alone = |row: usize| {
            let value = self.metric.sample(base[row], masked[row]);
            value.map_err(|error| row_error(self.function, error))
        };
        let counted = rows.counted(&[0, 1]);
        let is_counted = |row: usize| counted.as_ref().is_none_or(|rows| rows.is_valid(row));
        let mut values = [0.0; BLOCK];
        for start in (0..base.len()).step_by(BLOCK) {
            let block = start..base.len().min(start + BLOCK);
            let is_ordinary = InstructionSet::fastest().run(Values::<F> {
                base: &base[block.clone()],
                masked: &masked[block.clone()],
                values: &mut values,
                formula: PhantomData,
            });
            match (is_ordinary, &counted) {
                (true, None) => {
                    for (&group, &value) in rows.groups[block].iter().zip(&values) {
                        add(group, value);
                    }
                }
                (true, Some(_)) => {
                    for row in block.filter(|&row| is_counted(row)) {
                        add(rows.groups[row], values[row - start]);
                    }
                }
                (false, _) => {
                    for row in block.filter(|&row| is_counted(row)) {
                        if let Some(value) = value_alone(row)? {
                            add(rows.groups[row], value);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// All values are finite: what is not is an error or left out.
    fn can_retract(&self) -> bool {
        true
    }
}

/// Kernel that computes the values of rows and returns whether all rows are ordinary: their scores and values are
/// finite, and the formula is defined for them.
struct Values<'a, F> {
    base: &'a [f64],
    masked: &'a [f64],
    values: &'a mut [f64; BLOCK],
    formula: PhantomData<F>,
}

impl<F: ScoreFormula> SimdKernel for Values<'_, F> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let mut is_ordinary = true;
        // No branch in the loop, so that it runs in vector registers.
        for ((&base, &masked), value) in self.base.iter().zip(self.masked).zip(self.values) {
            *value = F::value(base, masked);
            is_ordinary &= base.is_finite()
                & masked.is_finite()
                & F::undefined(base).is_none()
                & value.is_finite();
        }
        is_ordinary
    }
}

fn row_error(function: &'static str, error: xai_core::Error) -> DataFusionError {
    let error = error.renamed(input::SCORES, input::BASE);
    let error = match error.help() {
        Some(_) => error.with_help(help::POLICY),
        None => error,
    };
    failed(function, error)
}
