//! Metrics that compare the model's outputs without the top features, or with these alone, with those of the whole input.

use std::fmt::Debug;

use xai_core::describe::{Described, Parameter};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Activation, Error, Real, Result};

use crate::batch::output_kind::OutputKind;
use crate::batch::{AllSamples, ExplainedBatch, Plan, RunData};
use crate::metric::{Measure, Parameters, Registered, Related, Whole, WholeMetric};
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::{Baseline, Features, RankBy, RemovalOrder, TopRemoval};
use crate::{help, input};

/// What the outputs of a model are, where the run has no [activation](crate::Scoring::activation) that says it: outputs
/// that it is applied to are logits, and what it makes are probabilities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "answers")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Answers {
    /// Probabilities if all outputs of the run lie in [0, 1] and the outputs of each input add to 1, as far as half precision
    /// or rounding to two or more decimals lets them; else logits. The result says which.
    #[default]
    Auto,
    /// Logits of classes: their softmax is the probabilities, of one output the sigmoid.
    Logits,
    /// Probabilities.
    Probabilities,
}

/// Outputs of the model for one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outputs<'a> {
    /// All of them.
    pub all: &'a [f64],
    /// What they are for the target: the output of the class, or their sum by the weights.
    pub target: f64,
}

/// What the model answers to one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer<'a> {
    /// The outputs before the activation.
    pub raw: Outputs<'a>,
    /// The outputs after it.
    pub activated: Outputs<'a>,
    /// The activation.
    pub activation: Activation,
    /// The target class; of a row of weights, the one that weighs most.
    pub class: usize,
}

impl Answer<'_> {
    /// The logarithm of the target's probability; `None` where that is 0. The one output of a model of two classes speaks
    /// for the target by its weight, against it where that is -1.
    ///
    /// # Errors
    /// Out of domain for what is no probability.
    fn log_prob(&self, are_probabilities: bool) -> Result<Option<f64>> {
        let is_one = self.raw.all.len() == 1;
        let value = if is_one {
            self.raw.target
        } else {
            self.raw.all[self.class]
        };
        if are_probabilities {
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
            return Err(error.with_help(help::ANSWERS_ARE_LOGITS));
        }
        if is_one || self.activation == Activation::Sigmoid {
            return Ok(Some(value.min(0.0) - (-value.abs()).exp().ln_1p()));
        }
        // Of the outputs before the activation: the logarithm of a probability that rounds to 0 is there, too.
        let mut row = self.raw.all.to_vec();
        Activation::LogSoftmax.apply_row(&mut row);
        Ok(Some(row[self.class]))
    }
}

/// What the model answers of one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputPair<'a> {
    /// To the whole input.
    pub before: Answer<'a>,
    /// Without the top features, or with these alone.
    pub after: Answer<'a>,
    /// Whether the outputs are probabilities, and not logits.
    pub are_probabilities: bool,
}

impl OutputPair<'_> {
    /// The logarithms of the target's probability before and after; `None` where that is 0. The one output of a model of
    /// two classes speaks for the target by its weight, against it where that is -1.
    ///
    /// # Errors
    /// Out of domain for what is no probability.
    pub fn log_probs(&self) -> Result<[Option<f64>; 2]> {
        let both = [&self.before, &self.after];
        let [before, after] = both.map(|answer| answer.log_prob(self.are_probabilities));
        Ok([before?, after?])
    }
}

/// A formula over outputs of the model: what makes an [`OutputMetric`].
pub trait OutputFormula:
    Described + Parameters + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// What the outputs of the model are, for a formula that reads [probabilities](OutputPair::log_probs).
    fn answers(&self) -> Option<Answers> {
        None
    }

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

    /// Whether the top is kept and all else removed, which reverses the [direction](crate::metric::Metric::direction).
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

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        let order = RemovalOrder::MostRelevantFirst;
        tied_features(explained, self.removal.features, order, RankBy::Sum)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let activation = explained.batch().run().scoring().activation;
        match self.formula.answers() {
            // It depends on the outputs of all batches: see `notes`.
            Some(Answers::Auto) if activation == Activation::None => {
                let expected = "a metric that is computed batch by batch, which this one is not";
                let error = Error::parameter(input::METRIC, F::INFO.name, expected);
                Err(error.with_help(help::ASK_FOR_WHOLE))
            }
            answers => {
                let are_probabilities =
                    activation == Activation::None && answers == Some(Answers::Probabilities);
                self.pairs(explained, &mut |sample, mut pair| {
                    pair.are_probabilities = are_probabilities;
                    let value = self.formula.value(&pair);
                    value.map_err(|error| error.shifted(0, sample))
                })
            }
        }
    }

    fn whole(&self) -> Option<&dyn Whole<T>> {
        (self.formula.answers() == Some(Answers::Auto)).then_some(self)
    }
}

impl<F: OutputFormula> OutputMetric<F> {
    /// Something of the outputs for every sample of a batch, before and after the removal.
    fn pairs<T: Real, R>(
        &self,
        explained: &ExplainedBatch<'_, T>,
        of_pair: &mut dyn FnMut(usize, OutputPair<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        let batch = explained.batch();
        let (before, after) = (batch.base_outputs()?, explained.shared(&self.removal)?);
        let (targets, first) = (batch.run().targets(), batch.samples().start);
        let activation = batch.run().scoring().activation;
        let mut of_sample = |row: usize| {
            let sample = first + row;
            let (before, after) = (before.row(row).to_vec(), after.row(row).to_vec());
            if before.len() != after.len() {
                return Err(Error::shape(
                    input::OUTPUTS,
                    &[before.len()],
                    &[after.len()],
                ));
            }
            let mut activated = [before.clone(), after.clone()];
            for row in &mut activated {
                activation.apply_row(row);
            }
            let outputs = |all| -> Result<Outputs<'_>> {
                let target = targets.score(sample, all)?;
                Ok(Outputs { all, target })
            };
            let answer = |raw, activated| -> Result<Answer<'_>> {
                Ok(Answer {
                    raw: outputs(raw)?,
                    activated: outputs(activated)?,
                    activation,
                    class: targets.class(sample).unwrap_or_default(),
                })
            };
            let pair = OutputPair {
                before: answer(&before, &activated[0])?,
                after: answer(&after, &activated[1])?,
                are_probabilities: false,
            };
            of_pair(sample, pair)
        };
        (0..batch.n_samples()).map(&mut of_sample).collect()
    }
}

/// The value of a sample by either reading of its outputs.
#[derive(Debug)]
pub struct ByReading {
    of_logits: Option<f64>,
    /// `None` also for outputs that are no probabilities, where this reading is not chosen.
    of_probabilities: Option<f64>,
}

/// Which reading is right shows when all outputs of the run are known: half of the samples of a run must not be read as
/// probabilities and the other half as logits.
impl<T: Real, F: OutputFormula> WholeMetric<T> for OutputMetric<F> {
    type Note = ByReading;

    fn joins(&self) -> bool {
        true
    }

    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<ByReading>> {
        let run = explained.batch().run();
        self.pairs(explained, &mut |sample, mut pair| {
            for answer in [&pair.before, &pair.after] {
                run.see_outputs(answer.raw.all);
            }
            let of_logits = self.formula.value(&pair);
            let of_logits = of_logits.map_err(|error| error.shifted(0, sample))?;
            pair.are_probabilities = true;
            let of_probabilities = self.formula.value(&pair).ok().flatten();
            Ok(ByReading {
                of_logits,
                of_probabilities,
            })
        })
    }

    fn relate(&self, all: &AllSamples<'_, T>, notes: &[ByReading]) -> Result<Related> {
        let run = all.run();
        let kind = match run.scoring().activation {
            Activation::None => run.decide_output_kind(),
            _ => OutputKind::Logits,
        };
        let values = notes.iter().map(|note| match kind {
            OutputKind::Logits => note.of_logits,
            OutputKind::Probabilities => note.of_probabilities,
        });
        Ok(Related::PerSample(values.collect()))
    }
}

registered!(OutputMetric<F: OutputFormula>);

impl<F: OutputFormula> Registered for OutputMetric<F> {
    /// A good top is missed where it is removed, and is enough where it is kept.
    fn reverses_direction(&self) -> bool {
        self.removal.keep
    }
}
