//! Metrics that compare the model's outputs without the top features, or with these alone, with those of the whole input.

use std::fmt::Debug;

use xai_core::describe::Parameter;
use xai_core::{Activation, Error, MetricInfo, Real, Result};

use crate::batch::{ExplainedBatch, Plan, RunData};
use crate::metric::{Measure, Parameters, Registered};
use crate::perturbation::{Baseline, Features, TopRemoval};
use crate::{help, input};

/// What a model answers with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "answers")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Answers {
    /// Logits of classes: their softmax is the probabilities, of one output the sigmoid.
    #[default]
    Logits,
    /// Probabilities.
    Probabilities,
}

/// What the model answers to one input, before the activation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer<'a> {
    /// All outputs.
    pub outputs: &'a [f64],
    /// That of the target class; of a row of weights, of the class that weighs most.
    pub class: usize,
    /// What they are for the target: the output of the class, or their sum by the weights.
    pub score: f64,
}

impl Answer<'_> {
    /// The logarithm of the target's probability; `None` where that is 0. The one output of a model of two classes speaks
    /// for the target by its weight, against it where that is -1.
    ///
    /// # Errors
    /// Out of domain for what is no probability.
    pub fn log_prob(&self, read_as: Answers) -> Result<Option<f64>> {
        let is_one = self.outputs.len() == 1;
        let value = if is_one {
            self.score
        } else {
            self.outputs[self.class]
        };
        match read_as {
            Answers::Logits if is_one => Ok(Some(value.min(0.0) - (-value.abs()).exp().ln_1p())),
            Answers::Logits => {
                let mut row = self.outputs.to_vec();
                Activation::LogSoftmax.apply_row(&mut row);
                Ok(Some(row[self.class]))
            }
            Answers::Probabilities => {
                let p = if is_one && value < 0.0 {
                    1.0 + value
                } else {
                    value
                };
                if (0.0..=1.0).contains(&p) {
                    return Ok((p > 0.0).then(|| p.ln()));
                }
                let index = [0, self.class];
                let error = Error::out_of_domain(input::OUTPUTS, &index, value, "in [0, 1]");
                Err(error.with_help(help::ANSWERS_ARE_LOGITS))
            }
        }
    }
}

/// What the model answers of one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputPair<'a> {
    /// To the whole input.
    pub before: Answer<'a>,
    /// Without the top features, or with these alone.
    pub after: Answer<'a>,
}

/// A formula over outputs of the model: what makes an [`OutputMetric`].
pub trait OutputFormula:
    Parameters + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// Name, question, direction, range, needs and source.
    const INFO: &'static MetricInfo;

    /// The formula; `None` where it is undefined.
    ///
    /// # Errors
    /// Outputs that are not what they should be, about row 0.
    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>>;
}

/// A metric of what the model answers without the features of the largest attributions, or with these alone. The model
/// sees one row per sample, and each sample once.
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct OutputMetric<F> {
    #[param(flatten)]
    pub(crate) formula: F,
    /// What is removed.
    #[param(flatten, setter)]
    removal: TopRemoval,
}

impl<F> OutputMetric<F> {
    /// The share of the features that are the top, in (0, 1].
    #[must_use]
    pub fn top(mut self, top: f64) -> Self {
        self.removal.top = top;
        self
    }

    /// Whether the top is kept and all else removed.
    #[must_use]
    pub fn keep(mut self, keep: bool) -> Self {
        self.removal.keep = keep;
        self
    }

    /// What stands for a removed value.
    #[must_use]
    pub fn baseline(mut self, baseline: impl Into<Baseline>) -> Self {
        self.removal.baseline = baseline.into();
        self
    }

    /// Which positions go together, as one feature.
    #[must_use]
    pub fn features(mut self, features: Features) -> Self {
        self.removal.features = features;
        self
    }
}

impl<T: Real, F: OutputFormula> Measure<T> for OutputMetric<F> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.removal.prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.base_scores();
        self.removal.plan(plan);
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let (before, after) = (batch.base_outputs()?, explained.shared(&self.removal)?);
        let (targets, first) = (batch.run().targets(), batch.samples().start);
        let value = |row: usize| {
            let sample = first + row;
            let (before, after) = (before.row(row).to_vec(), after.row(row).to_vec());
            if before.len() != after.len() {
                return Err(Error::shape(
                    input::OUTPUTS,
                    &[before.len()],
                    &[after.len()],
                ));
            }
            let answer = |outputs| -> Result<Answer<'_>> {
                let score = targets.score(sample, outputs)?;
                Ok(Answer {
                    outputs,
                    class: targets.class(sample).unwrap_or_default(),
                    score,
                })
            };
            let (before, after) = (answer(&before)?, answer(&after)?);
            let outputs = OutputPair { before, after };
            let value = self.formula.value(&outputs);
            value.map_err(|error| error.shifted(0, sample))
        };
        (0..batch.n_samples()).map(value).collect()
    }
}

registered!(OutputMetric<F: OutputFormula>);

impl<F: OutputFormula> Registered for OutputMetric<F> {
    const INFO: &'static MetricInfo = F::INFO;
}
