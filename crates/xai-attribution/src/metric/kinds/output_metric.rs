//! Metrics that compare the model's outputs before and after the top features, or all others, are removed.

use std::fmt::Debug;

use xai_core::describe::{Described, Parameter};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Activation, Error, Real, Result};

use crate::batch::output_kind::OutputKind;
use crate::batch::{AllSamples, Dataset, ExplainedBatch, Plan};
use crate::metric::{
    CombinedValues, DatasetMetric, DatasetMetricDyn, Measure, Parameters, Registered,
};
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::{Baseline, Features, RankBy, RemovalOrder, TopRemoval};
use crate::{help, input};

/// Scale of the model's outputs, for runs without an [activation](crate::model::Scoring::activation). With one, the
/// outputs are logits, and the activation turns them into probabilities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "answers")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum OutputScale {
    /// Probabilities if all outputs of the run are in [0, 1] and the outputs of each input add up to 1, within the
    /// accuracy of half precision or of rounding to two or more decimals; otherwise logits. The result says which.
    #[default]
    Auto,
    /// Logits of classes: probabilities are their softmax, or the sigmoid of a single output.
    Logits,
    /// Probabilities.
    Probabilities,
}

/// Outputs of the model for one input, either before or after the activation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outputs<'a> {
    /// All outputs.
    pub all: &'a [f64],
    /// Output for the target: that of the target class, or the sum weighted by the row of targets.
    pub target: f64,
}

/// Outputs of the model for one input, before and after the activation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelOutput<'a> {
    /// Outputs before the activation.
    pub raw: Outputs<'a>,
    /// Outputs after the activation.
    pub activated: Outputs<'a>,
    /// Activation of the run.
    pub activation: Activation,
    /// Target class; for a row of weights, the class of the largest weight.
    pub class: usize,
}

impl ModelOutput<'_> {
    /// Returns the log-probability of the target; `None` if the probability is 0.
    ///
    /// A single output of a binary model counts for the target, or against it if its target weight is −1.
    ///
    /// # Errors
    /// An out-of-domain error if an output that should be a probability is outside [0, 1].
    fn log_prob(&self, are_probabilities: bool) -> Result<Option<f64>> {
        let is_single = self.raw.all.len() == 1;
        let value = if is_single {
            self.raw.target
        } else {
            self.raw.all[self.class]
        };
        if are_probabilities {
            // The weight −1 made `value` −p, where the target has the probability 1 − p.
            let p = if is_single && value < 0.0 {
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
        if is_single || self.activation == Activation::Sigmoid {
            // log σ(x) = min(x, 0) − ln(1 + e^−|x|): the exponential cannot overflow, and `ln_1p` keeps it where it is
            // tiny.
            return Ok(Some(value.min(0.0) - (-value.abs()).exp().ln_1p()));
        }
        // Computed from the logits: the softmax of a class may round to 0, but its logarithm is finite.
        let mut row = self.raw.all.to_vec();
        Activation::LogSoftmax.apply_row(&mut row);
        Ok(Some(row[self.class]))
    }
}

/// Outputs of the model for one sample before and after the removal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputPair<'a> {
    /// Outputs for the whole input.
    pub before: ModelOutput<'a>,
    /// Outputs after the removal of the top features, or of all others.
    pub after: ModelOutput<'a>,
    /// `true` if the raw outputs are probabilities, `false` if they are logits.
    pub are_probabilities: bool,
}

impl OutputPair<'_> {
    /// Returns the log-probabilities of the target before and after the removal; `None` if the probability is 0.
    ///
    /// A single output of a binary model counts for the target, or against it if its target weight is −1.
    ///
    /// # Errors
    /// An out-of-domain error if an output that should be a probability is outside [0, 1].
    pub fn log_probs(&self) -> Result<[Option<f64>; 2]> {
        let both = [&self.before, &self.after];
        let [before, after] = both.map(|answer| answer.log_prob(self.are_probabilities));
        Ok([before?, after?])
    }
}

/// The formula of an [`OutputMetric`], computed from outputs of the model.
pub trait OutputFormula:
    Described + Parameters + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// Returns the scale of the model's outputs, for formulas that read [probabilities](OutputPair::log_probs).
    fn output_scale(&self) -> Option<OutputScale> {
        None
    }

    /// Returns the value of one sample; `None` where it is undefined.
    ///
    /// # Errors
    /// Invalid outputs, with sample index 0. The caller replaces the index.
    fn value(&self, outputs: &OutputPair<'_>) -> Result<Option<f64>>;
}

/// A metric of the model's outputs after the features of the largest attributions, or all others, are removed.
///
/// The model sees each input once and each changed input once.
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct OutputMetric<F> {
    #[param(flatten)]
    pub(crate) formula: F,
    /// Removal of features.
    #[param(flatten, setter)]
    removal: TopRemoval,
}

impl<F> OutputMetric<F> {
    /// Sets the share of the features that are the top, in (0, 1].
    #[must_use]
    pub fn top(mut self, top: f64) -> Self {
        self.removal.top = top;
        self
    }

    /// Sets whether the top is kept and everything else removed, which reverses the
    /// [direction](crate::metric::Metric::direction).
    #[must_use]
    pub fn keep(mut self, keep: bool) -> Self {
        self.removal.keep = keep;
        self
    }

    /// Sets the values that replace removed features.
    #[must_use]
    pub fn baseline(mut self, baseline: impl Into<Baseline>) -> Self {
        self.removal.baseline = baseline.into();
        self
    }

    /// Sets which positions form one feature.
    #[must_use]
    pub fn features(mut self, features: Features) -> Self {
        self.removal.features = features;
        self
    }
}

impl<T: Real, F: OutputFormula> Measure<T> for OutputMetric<F> {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.removal.prepare(dataset)
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
        let activation = explained.batch().dataset().scoring().activation;
        match self.formula.output_scale() {
            // Whether outputs are probabilities depends on the outputs of all batches: see `notes`.
            Some(OutputScale::Auto) if activation == Activation::None => {
                let expected = "a metric that is computed batch by batch, which this one is not";
                let error = Error::parameter(input::METRIC, F::INFO.name, expected);
                Err(error.with_help(help::ASK_FOR_WHOLE))
            }
            scale => {
                let are_probabilities =
                    activation == Activation::None && scale == Some(OutputScale::Probabilities);
                self.pairs(explained, &mut |sample, mut pair| {
                    pair.are_probabilities = are_probabilities;
                    let value = self.formula.value(&pair);
                    value.map_err(|error| error.shifted(0, sample))
                })
            }
        }
    }

    fn dataset_metric(&self) -> Option<&dyn DatasetMetricDyn<T>> {
        (self.formula.output_scale() == Some(OutputScale::Auto)).then_some(self)
    }
}

impl<F: OutputFormula> OutputMetric<F> {
    /// Calls `evaluate` with the sample index and the outputs before and after the removal, for every sample of a
    /// batch.
    fn pairs<T: Real, R>(
        &self,
        explained: &ExplainedBatch<'_, T>,
        evaluate: &mut dyn FnMut(usize, OutputPair<'_>) -> Result<R>,
    ) -> Result<Vec<R>> {
        let batch = explained.batch();
        let (before, after) = (batch.base_outputs()?, explained.shared(&self.removal)?);
        let (targets, first) = (batch.dataset().targets(), batch.samples().start);
        let activation = batch.dataset().scoring().activation;
        let mut evaluate_row = |row: usize| {
            let sample = first + row;
            let (before, after) = (before.row(row).to_vec(), after.row(row).to_vec());
            // Differences of outputs are paired by index, which needs the same number of outputs in both calls.
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
            let model_output = |raw, activated| -> Result<ModelOutput<'_>> {
                Ok(ModelOutput {
                    raw: outputs(raw)?,
                    activated: outputs(activated)?,
                    activation,
                    class: targets.class(sample).unwrap_or_default(),
                })
            };
            let pair = OutputPair {
                before: model_output(&before, &activated[0])?,
                after: model_output(&after, &activated[1])?,
                are_probabilities: false,
            };
            evaluate(sample, pair)
        };
        (0..batch.n_samples()).map(&mut evaluate_row).collect()
    }
}

/// Values of a sample for both possible scales of the outputs.
#[derive(Debug)]
#[non_exhaustive]
pub struct ValueByScale {
    logits: Option<f64>,
    /// `None` also for outputs outside [0, 1]; the outputs of the run are then read as logits.
    probabilities: Option<f64>,
}

/// The scale of the outputs can only be decided when all outputs of the run are known: otherwise, some samples could be
/// read as probabilities and others as logits. Until then, the values for both scales are kept, so that the model is
/// called once.
impl<T: Real, F: OutputFormula> DatasetMetric<T> for OutputMetric<F> {
    type Note = ValueByScale;

    fn is_splittable(&self) -> bool {
        true
    }

    fn notes(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<ValueByScale>> {
        let dataset = explained.batch().dataset();
        self.pairs(explained, &mut |sample, mut pair| {
            for answer in [&pair.before, &pair.after] {
                dataset.see_outputs(answer.raw.all);
            }
            let logits = self
                .formula
                .value(&pair)
                .map_err(|error| error.shifted(0, sample))?;
            pair.are_probabilities = true;
            // Logits outside of [0, 1] are an error if they are read as probabilities. The error is dropped, because
            // `combine` then decides on logits and does not use this value.
            let probabilities = self.formula.value(&pair).ok().flatten();
            Ok(ValueByScale {
                logits,
                probabilities,
            })
        })
    }

    fn combine(&self, all: &AllSamples<'_, T>, notes: &[ValueByScale]) -> Result<CombinedValues> {
        let dataset = all.dataset();
        // An activation is applied to logits, so that there is nothing to decide.
        let kind = match dataset.scoring().activation {
            Activation::None => dataset.decide_output_kind(),
            _ => OutputKind::Logits,
        };
        let values = notes.iter().map(|note| match kind {
            OutputKind::Logits => note.logits,
            OutputKind::Probabilities => note.probabilities,
        });
        Ok(CombinedValues::PerSample(values.collect()))
    }
}

registered!(OutputMetric<F: OutputFormula>, options);

impl<F: OutputFormula> Registered for OutputMetric<F> {
    /// Keeping the top reverses the direction: a good top changes the outputs if it is removed and preserves them if it
    /// is kept.
    fn reverses_direction(&self) -> bool {
        self.removal.keep
    }
}
