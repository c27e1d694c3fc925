//! Metrics over base and masked scores.

use std::marker::PhantomData;

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{DataFusionError, Result};
use xai_attribution::metric::{
    BaseScorePolicy, DropFormula, GainFormula, IncreaseFormula, ScoreFormula, ScoreMetric,
};

use crate::aggregate::{
    Argument, Call, CompactMeans, Definition, Groups, Kind, Rows, failed, mean_state,
};
use crate::{help, input};

const POLICY: &str = "base_score_policy";
const ARGUMENTS: &[Argument] = &[
    Argument::new("base", Kind::Number),
    Argument::new("masked", Kind::Number),
    Argument::optional(POLICY, Kind::ConstantText),
];

pub(crate) const AVERAGE_DROP: Definition = Definition {
    name: "average_drop",
    description: "The mean of max(0, base - masked) / (base + 1e-8) over scores of the predicted class on the whole \
                  input and on what a map keeps of it; in [0, 1] for probabilities, lower is better. NULL without rows. \
                  A base score of 0 or less is an error, unless the policy is 'as-is' or 'skip'.",
    example: "SELECT explainer, average_drop(base, masked) FROM scores GROUP BY explainer",
    arguments: ARGUMENTS,
    result: || DataType::Float64,
    state: mean_state,
    groups: groups::<DropFormula>,
};

pub(crate) const AVERAGE_INCREASE: Definition = Definition {
    name: "average_increase",
    description: "The share of rows whose masked score is above the base score; in [0, 1], higher is better. \
                  NULL without rows.",
    example: "SELECT explainer, average_increase(base, masked) FROM scores GROUP BY explainer",
    arguments: ARGUMENTS,
    result: || DataType::Float64,
    state: mean_state,
    groups: groups::<IncreaseFormula>,
};

pub(crate) const AVERAGE_GAIN: Definition = Definition {
    name: "average_gain",
    description: "The mean of max(0, masked - base) / (1 - base + 1e-8); in [0, 1] for probabilities, higher is better. \
                  NULL without rows. A base score above 1 is an error, unless the policy is 'as-is' or 'skip'.",
    example: "SELECT explainer, average_gain(base, masked) FROM scores GROUP BY explainer",
    arguments: ARGUMENTS,
    result: || DataType::Float64,
    state: mean_state,
    groups: groups::<GainFormula>,
};

fn groups<F: ScoreFormula>(call: &Call) -> Result<Box<dyn Groups>> {
    let policy: BaseScorePolicy = call.parsed(POLICY)?.unwrap_or_default();
    Ok(Box::new(ScoreGroups::<F>::new(call.function, policy)))
}

/// The means of a formula.
struct ScoreGroups<F> {
    function: &'static str,
    policy: BaseScorePolicy,
    means: CompactMeans,
    /// The formula's values of a batch.
    values: Vec<f64>,
    formula: PhantomData<F>,
}

impl<F: ScoreFormula> ScoreGroups<F> {
    fn new(function: &'static str, policy: BaseScorePolicy) -> Self {
        Self {
            function,
            policy,
            means: CompactMeans::default(),
            values: Vec::new(),
            formula: PhantomData,
        }
    }

    /// The values of a batch, and the rows that have one.
    fn compute(&mut self, rows: &Rows<'_>) -> Result<Option<NullBuffer>> {
        let [base, masked] = [0, 1].map(|at| rows.arguments[at].as_primitive::<Float64Type>());
        let (base, masked) = (&base.values()[..], &masked.values()[..]);
        let counted = rows.counted(&[0, 1]);
        self.values.clear();
        self.values.extend(
            base.iter()
                .zip(masked)
                .map(|(&base, &masked)| F::value(base, masked)),
        );
        // One pass without branches says whether any row needs a second look.
        let ordinary = |(&base, &masked): (&f64, &f64)| {
            base.is_finite() & masked.is_finite() & F::undefined(base).is_none()
        };
        let mut is_ordinary = true;
        for (scores, value) in base.iter().zip(masked).zip(&self.values) {
            is_ordinary &= ordinary(scores) & value.is_finite();
        }
        if is_ordinary {
            return Ok(counted);
        }
        let metric = ScoreMetric::<F>::new().base_score_policy(self.policy);
        let mut has_value = vec![false; base.len()];
        let mut each = |row: usize| -> xai_core::Result<()> {
            if let Some(value) = metric.sample(base[row], masked[row])? {
                self.values[row] = value;
                has_value[row] = true;
            }
            Ok(())
        };
        let checked = match &counted {
            Some(counted) => counted.valid_indices().try_for_each(&mut each),
            None => (0..base.len()).try_for_each(&mut each),
        };
        checked.map_err(|error| self.failed(error))?;
        Ok(Some(NullBuffer::from(has_value)))
    }

    fn failed(&self, error: xai_core::Error) -> DataFusionError {
        let error = error.renamed(input::SCORES, input::BASE);
        let error = match error.help() {
            Some(_) => error.with_help(help::POLICY),
            None => error,
        };
        failed(self.function, error)
    }
}

impl<F: ScoreFormula> Groups for ScoreGroups<F> {
    fn update(&mut self, rows: &Rows<'_>) -> Result<()> {
        let counted = self.compute(rows)?;
        let Self { means, values, .. } = self;
        rows.for_each(counted.as_ref(), |row, group| means.add(group, values[row]));
        means.count_allocated(values.len());
        Ok(())
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.means.merge(states, groups)
    }

    fn grow(&mut self, n_groups: usize) {
        self.means.grow(n_groups);
    }

    fn n_groups(&self) -> usize {
        self.means.n_groups()
    }

    fn evaluate(&mut self, n: usize) -> Result<ArrayRef> {
        Ok(self.means.values(n))
    }

    fn state(&mut self, n: usize) -> Result<Vec<ArrayRef>> {
        self.means.state(n)
    }

    fn remove_first(&mut self, n: usize) {
        self.means.remove_first(n);
    }

    fn size(&self) -> usize {
        self.means.size() + self.values.capacity() * size_of::<f64>()
    }

    fn fresh(&self) -> Box<dyn Groups> {
        Box::new(Self::new(self.function, self.policy))
    }

    fn can_retract(&self) -> bool {
        true
    }

    fn retract(&mut self, rows: &Rows<'_>) -> Result<()> {
        let counted = self.compute(rows)?;
        let Self { means, values, .. } = self;
        rows.for_each(counted.as_ref(), |row, group| {
            means.take(group, values[row])
        });
        Ok(())
    }
}
