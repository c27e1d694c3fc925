//! Metrics that compare two scores of each sample.

use std::fmt::Debug;
use std::marker::PhantomData;
use xai_core::describe::Described;

use xai_core::number::check_finite_slice;
use xai_core::{Accumulator, Error, ExactMean, Help, Input, Real, Result, parallel};

use crate::batch::{ExplainedBatch, Plan};
use crate::metric::{Measure, MetricValue, Parameter, Parameters, Registered};
use crate::{help, input};

/// What to do with a base score that the formula cannot divide by: 0 or less in Average Drop,
/// above 1 in Average Gain. Raw scores (logits) are like that; probabilities are not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
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

/// A formula over a base score and a masked score of one sample: what makes a [`ScoreMetric`].
///
/// ```
/// use xai_attribution::metric::{SCORE_NEEDS, ScoreFormula, ScoreMetric, metric};
/// use xai_attribution::Result;
/// /// Absolute change of the score when only what the map marks is kept.
/// ///
/// /// ```text
/// /// |g(x) − g(x ⊙ M)|
/// /// ```
/// ///
/// /// # Extremes
/// /// 0: the score stays. There is no upper end.
/// ///
/// /// # Source
/// /// This example.
/// #[metric(
///     name = "moved",
///     direction = Direction::Lower,
///     range = Range::NON_NEGATIVE,
///     invariance = Invariance::SCALE_AND_MIRROR,
///     needs = SCORE_NEEDS,
/// )]
/// #[derive(Debug, Clone, Copy, Default)]
/// struct Moved;
/// impl ScoreFormula for Moved {
///     fn value(base: f64, masked: f64) -> f64 {
///         (base - masked).abs()
///     }
/// }
/// let moved = ScoreMetric::<Moved>::new().evaluate_scores(&[0.5, 0.25], &[0.25, 1.0])?;
/// assert_eq!(moved.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub trait ScoreFormula: Described + Debug + Copy + Default + Send + Sync + 'static {
    /// Why the formula is undefined for a base score, if it is, and the way out.
    fn undefined(_base: f64) -> Option<(&'static str, Help)> {
        None
    }

    /// The formula.
    fn value(base: f64, masked: f64) -> f64;
}

/// What metrics over base and masked scores need.
pub const SCORE_NEEDS: &[Input] = &[
    input::MODEL,
    input::INPUTS,
    input::TARGETS,
    input::EXPLANATIONS,
];

/// Samples that one thread takes at a time.
const BLOCK: usize = 1 << 14;
/// Values that are added up at a time.
const PIECE: usize = 1 << 10;

/// What keeps the divisions of the formulas defined.
pub(crate) const EPSILON: f64 = 1e-8;

/// A metric over base and masked scores: [`AverageDrop`](crate::AverageDrop),
/// [`AverageIncrease`](crate::AverageIncrease), [`AverageGain`](crate::AverageGain), or a
/// [`ScoreFormula`] of your own.
///
/// The model sees each input once and each masked input once; several metrics of one model share
/// them in an [`Evaluation`](crate::Evaluation).
///
/// Defaults: an error for undefined base scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameters)]
pub struct ScoreMetric<F> {
    /// What to do with base scores that the formula cannot divide by.
    base_score_policy: BaseScorePolicy,
    #[param(skip)]
    formula: PhantomData<F>,
}

impl<F: ScoreFormula> ScoreMetric<F> {
    /// The metric from scores that exist already: `base` and `masked` are `(n,)`. It is the
    /// [`accumulator`](Self::accumulator) called once, with the value of each sample beside. Masked scores may be options:
    /// a sample whose masked score is `None` has no value.
    ///
    /// # Errors
    /// A shape mismatch, empty (also when the policy skips every sample), not finite, or an
    /// undefined score.
    pub fn evaluate_scores(
        &self,
        base: &[f64],
        masked: &[impl Into<Option<f64>> + Copy],
    ) -> Result<MetricValue> {
        let per_sample = self.per_sample_of(base, masked)?;
        let mut state = self.accumulator();
        state.add(&per_sample);
        Ok(MetricValue {
            value: state.finish()?,
            per_sample,
            n_undefined: state.n_undefined,
            assumed: Vec::new(),
            warnings: Vec::new(),
            curve: None,
            tied: None,
        })
    }

    fn per_sample_of(
        &self,
        base: &[f64],
        masked: &[impl Into<Option<f64>> + Copy],
    ) -> Result<Vec<Option<f64>>> {
        if base.len() != masked.len() {
            return Err(Error::shape(input::MASKED, &[base.len()], &[masked.len()]));
        }
        check_finite_slice(input::BASE, base)?;
        let of_sample = |(index, (&base, &masked)): (usize, (&f64, _))| {
            let Some(masked) = Into::<Option<f64>>::into(masked) else {
                // Whether the base score can be divided by does not depend on the map.
                return self.checked_sample(index, base, base).map(|_| None);
            };
            check_finite_slice(input::MASKED, &[masked])
                .map_err(|error| error.shifted(0, index))?;
            self.checked_sample(index, base, masked)
        };
        base.iter().zip(masked).enumerate().map(of_sample).collect()
    }

    /// The value of one sample: `None` where the policy leaves it out. What a program that groups
    /// samples by itself adds up.
    ///
    /// # Errors
    /// Not finite, or an undefined score, at index 0.
    ///
    /// ```
    /// use xai_attribution::{AverageDrop, BaseScorePolicy};
    /// let metric = AverageDrop::new().base_score_policy(BaseScorePolicy::Skip);
    /// assert_eq!(metric.sample(0.5, 0.75)?, Some(0.0));
    /// assert_eq!(metric.sample(-1.0, 0.5)?, None);
    /// # Ok::<(), xai_attribution::Error>(())
    /// ```
    pub fn sample(&self, base: f64, masked: f64) -> Result<Option<f64>> {
        check_finite_slice(input::BASE, &[base])?;
        check_finite_slice(input::MASKED, &[masked])?;
        self.checked_sample(0, base, masked)
    }

    /// The mean of many samples that all have a value, of which none is kept; `None` for few, and where one may have none.
    fn mean_of_many(&self, base: &[f64], masked: &[f64]) -> Option<ExactMean> {
        if base.len() < PIECE || base.len() != masked.len() {
            return None;
        }
        let blocks = parallel::map_blocks(base.len(), BLOCK, |block| {
            let mut mean = ExactMean::new();
            let masked = masked[block.clone()].chunks(PIECE);
            for (base, masked) in base[block].chunks(PIECE).zip(masked) {
                let mut values = [0.0; PIECE];
                let mut is_plain = true;
                for ((value, &base), &masked) in values.iter_mut().zip(base).zip(masked) {
                    *value = F::value(base, masked);
                    // Of a score that is not finite the sum is not.
                    let is_finite = (base + masked + *value).is_finite();
                    is_plain &= is_finite & F::undefined(base).is_none();
                }
                if !is_plain {
                    return None;
                }
                mean.update(&values[..base.len()]).ok()?;
            }
            Some(mean)
        });
        let mut mean = ExactMean::new();
        for block in blocks {
            mean.add_mean(&block?);
        }
        Some(mean)
    }

    fn checked_sample(&self, index: usize, base: f64, masked: f64) -> Result<Option<f64>> {
        let value = F::value(base, masked);
        let undefined = F::undefined(base);
        if undefined.is_none() && value.is_finite() {
            return Ok(Some(value));
        }
        match self.base_score_policy {
            BaseScorePolicy::AsIs if value.is_finite() => Ok(Some(value)),
            BaseScorePolicy::AsIs | BaseScorePolicy::Skip => Ok(None),
            BaseScorePolicy::Error => Err(match undefined {
                Some((why, help)) => {
                    Error::undefined_score(input::SCORES, index, base, why).with_help(help)
                }
                None => {
                    let why = "the quotient leaves the range of f64";
                    match masked.abs() > base.abs() {
                        true => Error::undefined_score(input::MASKED, index, masked, why),
                        false => Error::undefined_score(input::SCORES, index, base, why),
                    }
                }
            }),
        }
    }

    /// A state of no samples.
    #[must_use]
    pub fn accumulator(&self) -> ScoreAccumulator<F> {
        ScoreAccumulator {
            policy: self.base_score_policy,
            mean: ExactMean::new(),
            n_undefined: 0,
            formula: PhantomData,
        }
    }
}

impl<T: Real, F: ScoreFormula> Measure<T> for ScoreMetric<F> {
    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.base_scores();
        plan.masked_scores();
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        self.per_sample_of(batch.base_scores()?, explained.masked_scores()?)
            .map_err(|error| error.shifted(0, batch.samples().start))
    }
}

registered!(ScoreMetric<F: ScoreFormula>);

impl<F: ScoreFormula> Registered for ScoreMetric<F> {}

/// A [`ScoreMetric`] as a state. A batch is `(base, masked)`, the scores of some samples.
///
/// ```
/// use xai_attribution::{Accumulator, AverageDrop};
/// use xai_attribution::metric::{DropFormula, ScoreAccumulator};
/// let mut left: ScoreAccumulator<DropFormula> = AverageDrop::new().accumulator();
/// let mut right = AverageDrop::new().accumulator();
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
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "xai_core::stored::bounded_count")
    )]
    n_undefined: usize,
    formula: PhantomData<F>,
}

impl<F: ScoreFormula> ScoreAccumulator<F> {
    /// How many samples the policy has left out.
    #[must_use]
    pub fn n_undefined(&self) -> usize {
        self.n_undefined
    }

    fn add(&mut self, per_sample: &[Option<f64>]) {
        let n_before = self.mean.count();
        self.mean.extend(per_sample.iter().copied().flatten());
        self.n_undefined += per_sample.len() - (self.mean.count() - n_before) as usize;
    }
}

impl<F: ScoreFormula> Accumulator for ScoreAccumulator<F> {
    type Batch<'a> = (&'a [f64], &'a [f64]);
    type Output = f64;

    fn update(&mut self, (base, masked): (&[f64], &[f64])) -> Result<()> {
        let metric = ScoreMetric::<F>::new().base_score_policy(self.policy);
        match metric.mean_of_many(base, masked) {
            Some(mean) => self.mean.add_mean(&mean),
            None => self.add(&metric.per_sample_of(base, masked)?),
        }
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        if self.policy != other.policy {
            return Err(Error::parameter(
                input::BASE_SCORE_POLICY,
                format!("{:?}", other.policy),
                format!("{:?}, as the state it is merged into", self.policy),
            ));
        }
        self.mean.add_mean(&other.mean);
        self.n_undefined += other.n_undefined;
        Ok(())
    }

    fn finish(&self) -> Result<f64> {
        self.mean
            .value()
            .ok_or_else(|| Error::empty(input::VALUES).with_help(help::NO_SAMPLE_HAS_A_VALUE))
    }
}
