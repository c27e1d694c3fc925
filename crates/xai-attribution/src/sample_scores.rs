//! Metrics that compare two scores of each sample.

use std::marker::PhantomData;

use xai_core::{Accumulator, Activation, Error, ExactMean, Layout, Real, Result};

use crate::evaluation_metric::{Better, EvaluationMetric, evaluate_one};
use crate::samples::of_sample;
use crate::{EvaluationError, ExplainedBatch, IntoTargets, Model, Samples, Scoring};

/// A metric's value for a data set and for each sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SampleScores {
    /// The mean over the samples that are defined.
    pub value: f64,
    /// One a sample; `None` where the score is undefined or [`BaseScorePolicy::Skip`] left it out.
    pub per_sample: Vec<Option<f64>>,
    /// How many samples have no score.
    pub n_undefined: usize,
}

/// What to do with a base score that the formula cannot divide by: 0 or less in Average Drop,
/// above 1 in Average Gain. Raw scores (logits) are like that; probabilities are not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum BaseScorePolicy {
    /// An error that names the sample.
    #[default]
    Error,
    /// The formula as it stands: the peer's number (an Average Drop of −3, for instance). Where
    /// not even that is finite the sample is left out, and counted.
    AsIs,
    /// Leaves the sample out of the mean, and counts it.
    Skip,
}

mod sealed {
    pub trait Sealed {}
}
pub(crate) use sealed::Sealed;

/// One of the three formulas over a base score and a masked score.
pub trait ScoreFormula: Sealed + Copy + Default + Send + Sync + 'static {
    /// The metric's name as in the command line: `average_drop`.
    const NAME: &'static str;

    /// Which end of the scale is the good one.
    const BETTER: Better;

    /// Why the formula is undefined for a base score, if it is.
    #[doc(hidden)]
    fn undefined(base: f64) -> Option<&'static str>;

    /// The formula.
    #[doc(hidden)]
    fn value(base: f64, masked: f64) -> f64;
}

/// What keeps the divisions of the formulas defined.
pub(crate) const EPSILON: f64 = 1e-8;

/// A metric over base and masked scores: [`AverageDrop`](crate::AverageDrop),
/// [`AverageIncrease`](crate::AverageIncrease) or [`AverageGain`](crate::AverageGain).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ScoreMetric<F> {
    scoring: Scoring,
    policy: BaseScorePolicy,
    formula: F,
}

impl<F: ScoreFormula> ScoreMetric<F> {
    /// No activation, batches of 64, channels last, and an error for undefined base scores.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is applied to the model's outputs.
    #[must_use]
    pub fn activation(mut self, activation: Activation) -> Self {
        self.scoring.activation = activation;
        self
    }

    /// The largest number of samples the model is called with, at least 1.
    #[must_use]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.scoring.batch_size = batch_size;
        self
    }

    /// How the axes of the inputs are read.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.scoring.layout = Some(layout);
        self
    }

    /// What to do with base scores that the formula cannot divide by.
    #[must_use]
    pub fn base_score_policy(mut self, policy: BaseScorePolicy) -> Self {
        self.policy = policy;
        self
    }

    /// The metric for a model, its inputs and their attribution maps.
    ///
    /// `inputs` and `maps` are [`Samples`] (array views are) of a [`Layout`], `targets` class
    /// indices `(n,)` or rows `(n, n_outputs)`. The model sees `2 n` rows, never more than the
    /// batch size at once; several metrics of one model share them in an
    /// [`Evaluation`](crate::Evaluation).
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for arrays that do not fit each other and for a model that answers
    /// with the wrong number of rows, [`Error::Empty`] without samples, [`Error::NonFinite`] for
    /// NaN or infinity in inputs, maps or outputs, [`Error::LabelOutOfRange`] for a target class
    /// that the model has no output for, [`Error::InvalidParameter`] for a batch size of 0,
    /// [`Error::Model`] with the model's own error, and [`Error::UndefinedScore`] for a base score
    /// as [`BaseScorePolicy`] says. Each comes with the scores
    /// [computed until then](EvaluationError::completed).
    pub fn evaluate<T: Real, M: Model<T> + ?Sized>(
        &self,
        model: &M,
        inputs: impl Samples<T>,
        targets: &(impl IntoTargets + ?Sized),
        maps: impl Samples<T>,
    ) -> Result<SampleScores, EvaluationError> {
        let per_sample = evaluate_one(model, inputs, targets, maps, self.scoring, self)?;
        Ok(SampleScores::of(per_sample)?)
    }

    /// The metric from scores that exist already: `base` and `masked` are `(n,)`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`], [`Error::Empty`] (also when the policy skips every sample),
    /// [`Error::NonFinite`] and [`Error::UndefinedScore`].
    #[allow(clippy::wrong_self_convention)] // the metric is configured, the scores are the source
    pub fn from_scores(&self, base: &[f64], masked: &[f64]) -> Result<SampleScores> {
        let per_sample = self.per_sample(base, masked)?;
        SampleScores::of(per_sample)
    }

    fn per_sample(&self, base: &[f64], masked: &[f64]) -> Result<Vec<Option<f64>>> {
        if base.len() != masked.len() {
            return Err(Error::shape("masked", &[base.len()], &[masked.len()]));
        }
        xai_core::check_finite_slice("base", base)?;
        xai_core::check_finite_slice("masked", masked)?;
        base.iter()
            .zip(masked)
            .enumerate()
            .map(|(index, (&base, &masked))| {
                let value = F::value(base, masked);
                let why = match F::undefined(base) {
                    None if value.is_finite() => return Ok(Some(value)),
                    None => "the quotient leaves the range of f64",
                    Some(why) => why,
                };
                match self.policy {
                    BaseScorePolicy::AsIs if value.is_finite() => Ok(Some(value)),
                    BaseScorePolicy::AsIs | BaseScorePolicy::Skip => Ok(None),
                    BaseScorePolicy::Error => Err(Error::UndefinedScore {
                        index,
                        value: base,
                        why: why.into(),
                    }),
                }
            })
            .collect()
    }

    /// A state of no samples.
    #[must_use]
    pub fn accumulator(&self) -> ScoreAccumulator<F> {
        ScoreAccumulator {
            policy: self.policy,
            mean: ExactMean::new(),
            n_undefined: 0,
            formula: PhantomData,
        }
    }
}

impl<T: Real, F: ScoreFormula> EvaluationMetric<T> for ScoreMetric<F> {
    fn name(&self) -> &str {
        F::NAME
    }

    fn better(&self) -> Better {
        F::BETTER
    }

    fn scores(&self, batch: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let base = batch.batch().base_scores()?;
        self.per_sample(base, batch.masked_scores()?)
            .map_err(|error| of_sample(error, batch.batch().samples().start))
    }

    fn scoring(&self) -> Option<Scoring> {
        Some(self.scoring)
    }
}

/// A [`ScoreMetric`] as a state. A batch is `(base, masked)`, the scores of some samples.
///
/// ```
/// use xai_attribution::{Accumulator, AverageDrop};
/// let (mut left, mut right) = (AverageDrop::new().accumulator(), AverageDrop::new().accumulator());
/// left.update((&[0.5, 0.8], &[0.5, 0.4]))?;
/// right.update((&[1.0], &[0.2]))?;
/// left.merge(right)?;
/// assert!((left.finish()? - (0.0 + 0.5 + 0.8) / 3.0).abs() < 1e-7);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound = ""))]
pub struct ScoreAccumulator<F> {
    policy: BaseScorePolicy,
    mean: ExactMean,
    n_undefined: usize,
    formula: PhantomData<F>,
}

impl<F: ScoreFormula> ScoreAccumulator<F> {
    /// How many samples the policy has left out.
    #[must_use]
    pub fn n_undefined(&self) -> usize {
        self.n_undefined
    }

    fn fold(&mut self, per_sample: &[Option<f64>]) {
        for score in per_sample {
            match score {
                Some(score) => self.mean.add(*score),
                None => self.n_undefined += 1,
            }
        }
    }
}

impl<F: ScoreFormula> Accumulator for ScoreAccumulator<F> {
    type Batch<'a> = (&'a [f64], &'a [f64]);
    type Output = f64;

    fn update(&mut self, (base, masked): (&[f64], &[f64])) -> Result<()> {
        let metric = ScoreMetric::<F>::new().base_score_policy(self.policy);
        self.fold(&metric.per_sample(base, masked)?);
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if self.policy != other.policy {
            return Err(Error::parameter(
                "base_score_policy",
                format!("{:?}", other.policy),
                format!("{:?}, as the state it is merged into", self.policy),
            ));
        }
        self.mean.add_mean(&other.mean);
        self.n_undefined += other.n_undefined;
        Ok(())
    }

    fn finish(&self) -> Result<f64> {
        self.mean.value().ok_or_else(|| {
            Error::empty(if self.n_undefined > 0 {
                "samples with a defined base score"
            } else {
                "samples"
            })
        })
    }
}

impl SampleScores {
    /// A value from scores, of which some may be undefined.
    pub(crate) fn of(per_sample: Vec<Option<f64>>) -> Result<Self> {
        let mean: ExactMean = per_sample.iter().flatten().copied().collect();
        let Some(value) = mean.value() else {
            return Err(Error::empty("samples with a defined score"));
        };
        Ok(Self {
            value,
            n_undefined: per_sample.iter().filter(|score| score.is_none()).count(),
            per_sample,
        })
    }
}
