//! The model's scores before and after masking.

use std::sync::Mutex;

use xai_core::{Error, Real, Result};

use crate::batch::{Study, evaluate_all};
use crate::evaluation_metric::Collector;
use crate::scoring::{into_inner, lock};
use crate::{EvaluationError, IntoTargets, Model, Samples, Scoring};

/// The score of every sample, on the whole input and on what its map keeps.
///
/// Average Drop, Increase and Gain are three views of the same pairs: take the scores once, with
/// [`masked_scores`], and ask each metric's `from_scores`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MaskedScores {
    /// `base_i = g(f, x_i, y_i)`.
    pub base: Vec<f64>,
    /// `after_i = g(f, x_i ⊙ M_i, y_i)`.
    pub masked: Vec<f64>,
}

/// Scores every sample twice: the model sees `2 n` rows.
///
/// `inputs` and `maps` have a [`Layout`](xai_core::Layout); `targets` are class indices or rows.
///
/// # Errors
/// As [`AverageDrop::evaluate`](crate::AverageDrop::evaluate).
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{AverageDrop, AverageIncrease, Scoring, masked_scores};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[2.0, 1.0]].into_dyn();
/// let maps = array![[0.0, 1.0]].into_dyn();
/// let scores = masked_scores(&model, inputs.view(), &[0], maps.view(), &Scoring::default())?;
/// assert_eq!((scores.base[0], scores.masked[0]), (2.0, 0.0));
/// assert!((AverageDrop::new().from_scores(&scores.base, &scores.masked)?.value - 1.0).abs() < 1e-8);
/// assert_eq!(AverageIncrease::new().from_scores(&scores.base, &scores.masked)?.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn masked_scores<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    inputs: impl Samples<T>,
    targets: &(impl IntoTargets + ?Sized),
    maps: impl Samples<T>,
    scoring: &Scoring,
) -> Result<MaskedScores, EvaluationError> {
    let n = inputs.shape().first().copied().unwrap_or_default();
    let base = Mutex::new(vec![0.0; n]);
    let masked = collect(model, inputs, targets, maps, scoring, Some(&base))?;
    Ok(MaskedScores {
        base: into_inner(base),
        masked,
    })
}

/// As [`masked_scores`], with base scores that were taken before (by
/// [`base_scores`](crate::base_scores())): for several explainers of one model, which then sees
/// `n` rows a map. [`Evaluation`](crate::Evaluation) does so by itself.
///
/// # Errors
/// As [`masked_scores`]; [`Error::ShapeMismatch`] when there is not one base score a sample.
pub fn masked_scores_with_base<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    base: Vec<f64>,
    inputs: impl Samples<T>,
    targets: &(impl IntoTargets + ?Sized),
    maps: impl Samples<T>,
    scoring: &Scoring,
) -> Result<MaskedScores, EvaluationError> {
    let n = inputs.shape().first().copied().unwrap_or_default();
    if base.len() != n {
        return Err(Error::shape("base", &[n], &[base.len()]).into());
    }
    let masked = collect(model, inputs, targets, maps, scoring, None)?;
    Ok(MaskedScores { base, masked })
}

/// The masked scores; the base scores are taken where there is a place for them.
fn collect<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    inputs: impl Samples<T>,
    targets: &(impl IntoTargets + ?Sized),
    maps: impl Samples<T>,
    scoring: &Scoring,
    base: Option<&Mutex<Vec<f64>>>,
) -> Result<Vec<f64>, EvaluationError> {
    let mut study = Study::new(inputs, targets.to_targets()?, *scoring)?;
    let masked = Mutex::new(vec![0.0; study.n_samples()]);
    let collector = Collector {
        name: "masked",
        baseline: None,
        collect: |batch: &crate::ExplainedBatch<'_, T>| {
            let samples = batch.batch().samples();
            if let Some(base) = base {
                let scores = batch.batch().base_scores()?;
                lock(base)[samples.clone()].copy_from_slice(scores);
            }
            let scores = batch.masked_scores()?;
            lock(&masked)[samples].copy_from_slice(scores);
            Ok(vec![None; scores.len()])
        },
    };
    evaluate_all(model, &mut study, &[(None, &maps)], &[&collector], &|_| {})?;
    Ok(into_inner(masked))
}
