//! What a metric is to an evaluation.

use xai_core::{Layout, Real, Result};

use crate::batch::{Study, evaluate_all};
use crate::{Baseline, EvaluationError, ExplainedBatch, IntoTargets, Model, Samples, Scoring};

/// Which end of a metric's scale is the good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Better {
    /// Lower scores are better.
    Lower,
    /// Higher scores are better.
    Higher,
}

/// A metric that judges maps batch by batch, in an [`Evaluation`](crate::Evaluation).
///
/// All metrics of this crate with one score a sample implement it; so may yours. What
/// [`ExplainedBatch`] hands out is shared: the base scores of a batch, for instance, are taken once
/// for all metrics and all explainers.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{AverageDrop, Better, Evaluation, EvaluationMetric, ExplainedBatch, Result};
/// /// What is left of the score when only what the map marks is kept.
/// struct Left;
/// impl EvaluationMetric<f64> for Left {
///     fn name(&self) -> &str {
///         "left"
///     }
///     fn better(&self) -> Better {
///         Better::Higher
///     }
///     fn scores(&self, batch: &ExplainedBatch<'_, f64>) -> Result<Vec<Option<f64>>> {
///         let (base, masked) = (batch.batch().base_scores()?, batch.masked_scores()?);
///         Ok(base.iter().zip(masked).map(|(b, m)| (*b != 0.0).then(|| m / b)).collect())
///     }
/// }
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[4.0, 1.0], [1.0, 2.0]];
/// let maps = array![[1.0, 0.0], [3.0, 0.0]];
/// let table = Evaluation::new(&model, inputs.view(), &[0, 1])
///     .explainer("mine", maps.view())
///     .metric(Left)
///     .metric(AverageDrop::default())
///     .run()?;
/// assert!((table.score("mine", "left").unwrap().value.unwrap() - 0.5).abs() < 1e-7);
/// assert_eq!(table.model_calls.rows, 4); // both metrics read the same scores
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub trait EvaluationMetric<T: Real>: Sync {
    /// The metric's name, as in the command line: `average_drop`.
    fn name(&self) -> &str;

    /// Which end of the scale is the good one.
    fn better(&self) -> Better;

    /// One score a sample of the batch; `None` where it is undefined.
    ///
    /// # Errors
    /// The metric's own, and those of the model.
    fn scores(&self, batch: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>>;

    /// Checks the metric's parameters against the shape of the inputs, before the model is called.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`](xai_core::Error::InvalidParameter) for one outside its domain.
    fn check(&self, _shape: &[usize], _layout: Layout) -> Result<()> {
        Ok(())
    }

    /// How the metric takes scores when it stands alone. In an evaluation all take them alike.
    fn scoring(&self) -> Option<Scoring> {
        None
    }

    /// The baseline it uses, if any: what needs a pass over all inputs is prepared before.
    fn baseline(&self) -> Option<&Baseline> {
        None
    }
}

/// One metric of one set of maps.
pub(crate) fn evaluate_one<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    inputs: impl Samples<T>,
    targets: &(impl IntoTargets + ?Sized),
    maps: impl Samples<T>,
    scoring: Scoring,
    metric: &dyn EvaluationMetric<T>,
) -> Result<Vec<Option<f64>>, EvaluationError> {
    let mut study = Study::new(inputs, targets.to_targets()?, scoring)?;
    let scores = evaluate_all(model, &mut study, &[(None, &maps)], &[metric], &|_| {})?;
    Ok(scores.into_iter().flatten().flatten().collect())
}

/// A metric that is a function: what collects more than scores on its way.
pub(crate) struct Collector<'a, F> {
    pub(crate) name: &'a str,
    pub(crate) collect: F,
    pub(crate) baseline: Option<&'a Baseline>,
}

impl<T: Real, F> EvaluationMetric<T> for Collector<'_, F>
where
    F: Fn(&ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> + Sync,
{
    fn name(&self) -> &str {
        self.name
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn scores(&self, batch: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        (self.collect)(batch)
    }

    fn baseline(&self) -> Option<&Baseline> {
        self.baseline
    }
}
