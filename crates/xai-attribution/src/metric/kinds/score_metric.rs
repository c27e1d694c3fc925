//! Metrics that compare two scores of each sample.

use std::fmt::Debug;
use std::marker::PhantomData;
use xai_core::describe::Described;

use xai_core::number::check_finite_slice;
use xai_core::{Accumulator, Error, ExactMean, Help, Input, Real, Result, parallel};

use crate::batch::{ExplainedBatch, Plan};
use crate::metric::{Measure, MetricValue, Parameter, Parameters};
use crate::{help, input};

/// Treatment of base scores that the formula cannot divide by: 0 or less in Average Drop,
/// above 1 in Average Gain. Raw scores (logits) can be such; positive probabilities are not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum BaseScorePolicy {
    /// Returns an error that names the sample.
    #[default]
    Error,
    /// Evaluates the formula nevertheless, as other packages do (an Average Drop can then be −3, for instance). A
    /// sample whose value is not finite is left out of the mean, and counted.
    AsIs,
    /// Leaves the sample out of the mean, and counts it.
    Skip,
}

/// The formula of a [`ScoreMetric`], computed from the base score and the masked score of one sample.
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
    /// Returns why the formula is undefined for a base score, with a hint; `None` if it is defined.
    fn undefined(_base: f64) -> Option<(&'static str, Help)> {
        None
    }

    /// Returns the value of one sample.
    fn value(base: f64, masked: f64) -> f64;
}

/// Inputs of metrics that compare scores of inputs and of changed inputs.
pub const SCORE_NEEDS: &[Input] = &[
    input::MODEL,
    input::INPUTS,
    input::TARGETS,
    input::EXPLANATIONS,
];

/// Number of samples that one thread processes at a time.
const BLOCK: usize = 1 << 14;
/// Number of values that are added to the exact sum at a time. They fit into the L1 cache (8 KiB).
const PIECE: usize = 1 << 10;

/// Constant in the divisors of Average Drop and Average Gain.
pub(crate) const EPSILON: f64 = 1e-8;

/// A metric of base and masked scores: [`AverageDrop`](crate::metric::AverageDrop),
/// [`AverageIncrease`](crate::metric::AverageIncrease), [`AverageGain`](crate::metric::AverageGain), or a
/// [`ScoreFormula`] of your own.
///
/// The model sees each input once and each masked input once; several metrics of one model share
/// the scores in a [`Benchmark`](crate::Benchmark).
///
/// Defaults: an error for undefined base scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameters)]
pub struct ScoreMetric<F> {
    /// Treatment of base scores that the formula cannot divide by.
    base_score_policy: BaseScorePolicy,
    #[param(skip)]
    formula: PhantomData<F>,
}

impl<F: ScoreFormula> ScoreMetric<F> {
    /// Evaluates scores that exist already, `base` and `masked` of shape `(n,)`.
    ///
    /// The value is that of the [`accumulator`](Self::accumulator); the result also has the value of each sample.
    /// Masked scores can be `Option`s: a sample whose masked score is `None` has no value.
    ///
    /// # Errors
    /// A shape mismatch, an empty input (also if the policy skips every sample), a score that is not finite, and an
    /// undefined score.
    pub fn evaluate_scores(
        &self,
        base: &[f64],
        masked: &[impl Into<Option<f64>> + Copy],
    ) -> Result<MetricValue> {
        if base.len() != masked.len() {
            return Err(Error::shape(input::MASKED, &[base.len()], &[masked.len()]));
        }
        let mut state = self.accumulator();
        let mut per_sample = Vec::with_capacity(base.len());
        // Piece by piece, so that values are still in the L1 cache when they are added to the exact sum.
        for (base_piece, masked_piece) in base.chunks(PIECE).zip(masked.chunks(PIECE)) {
            let mut buffer = [0.0; PIECE];
            let values = &mut buffer[..base_piece.len()];
            if are_plain::<F>(base_piece, masked_piece, values) {
                state.mean.update(values)?;
                per_sample.extend(values.iter().copied().map(Some));
                continue;
            }
            match self.per_sample_of(base_piece, masked_piece) {
                Ok(piece) => {
                    state.add(&piece);
                    per_sample.extend(piece);
                }
                // Reported with its position among all samples, and after an invalid base score of any of them.
                Err(error) => return self.per_sample_of(base, masked).and(Err(error)),
            }
        }
        Ok(MetricValue {
            value: state.finish()?,
            per_sample,
            n_undefined: state.n_undefined,
            assumed: Vec::new(),
            warnings: Vec::new(),
            curve: None,
            tied: None,
            batch_size: None,
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
        let value = |(index, (&base, &masked)): (usize, (&f64, _))| {
            let Some(masked) = Into::<Option<f64>>::into(masked) else {
                // An undefined base score is an error for every map alike, also for one without a mask.
                return self.checked_sample(index, base, base).map(|_| None);
            };
            check_finite_slice(input::MASKED, &[masked])
                .map_err(|error| error.shifted(0, index))?;
            self.checked_sample(index, base, masked)
        };
        base.iter().zip(masked).enumerate().map(value).collect()
    }

    /// Returns the value of one sample; `None` if the policy leaves it out.
    ///
    /// This is for programs that group samples themselves and sum the values per group.
    ///
    /// # Errors
    /// A score that is not finite, and an undefined score, both with index 0.
    ///
    /// ```
    /// use xai_attribution::metric::{AverageDrop, BaseScorePolicy};
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

    /// Fast path of the accumulator: the mean of many samples that all have a value, without storing the values.
    ///
    /// `None` for fewer samples than a piece, and if a score or value needs the checks of the slow path, which then
    /// decides what is wrong with which sample.
    fn mean_of_many(&self, base: &[f64], masked: &[f64]) -> Option<ExactMean> {
        // Few samples need no fast path, and different lengths are an error that the slow path reports.
        if base.len() < PIECE || base.len() != masked.len() {
            return None;
        }
        let blocks = parallel::map_blocks(base.len(), BLOCK, |block| {
            let mut mean = ExactMean::new();
            let masked = masked[block.clone()].chunks(PIECE);
            for (base, masked) in base[block].chunks(PIECE).zip(masked) {
                let mut buffer = [0.0; PIECE];
                let values = &mut buffer[..base.len()];
                if !are_plain::<F>(base, masked, values) {
                    return None;
                }
                mean.update(values).ok()?;
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
                // The formula is defined, but its value is not finite: the larger of the two scores is to blame.
                None => {
                    let why = "the quotient leaves the range of f64";
                    if masked.abs() > base.abs() {
                        Error::undefined_score(input::MASKED, index, masked, why)
                    } else {
                        Error::undefined_score(input::SCORES, index, base, why)
                    }
                }
            }),
        }
    }

    /// Creates an empty accumulator with the policy of this metric.
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

/// Writes the values of some samples. `false` if a score or value may be missing, not finite or undefined, so that each
/// sample has to be checked by itself.
#[inline(always)]
fn are_plain<F: ScoreFormula>(
    base: &[f64],
    masked: &[impl Into<Option<f64>> + Copy],
    values: &mut [f64],
) -> bool {
    let mut are_plain = true;
    for ((value, &base), &masked) in values.iter_mut().zip(base).zip(masked) {
        let masked = masked.into().unwrap_or(f64::NAN);
        *value = F::value(base, masked);
        // One test for three numbers: a sum with a non-finite term is not finite. A sum of finite numbers that
        // overflows only leads to the slow path. `&` instead of `&&` keeps the loop free of branches.
        let is_finite = (base + masked + *value).is_finite();
        are_plain &= is_finite & F::undefined(base).is_none();
    }
    are_plain
}

/// Accumulator of a [`ScoreMetric`]. A batch is `(base, masked)`, the scores of some samples.
///
/// ```
/// use xai_attribution::{Accumulator, metric::AverageDrop};
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
    /// Returns the number of samples that the policy left out.
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
        // The policy decides which samples are in the mean, so a mean over both would be that of no policy.
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
