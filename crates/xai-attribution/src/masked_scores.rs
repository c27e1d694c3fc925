//! The model's scores before and after masking.

use ndarray::ArrayViewD;
use xai_core::{Error, Layout, Real, Result, check_finite, mask_inputs};

use crate::scoring::{checked_samples, rows};
use crate::{IntoTargets, Model, Scoring, base_scores};

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
/// `inputs` and `maps` have a [`Layout`]; `targets` are class indices or rows.
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
    inputs: ArrayViewD<'_, T>,
    targets: &(impl IntoTargets + ?Sized),
    maps: ArrayViewD<'_, T>,
    scoring: &Scoring,
) -> Result<MaskedScores> {
    // Before the model is called at all.
    checked_layout(&inputs, &maps, scoring)?;
    let base = base_scores(model, inputs.view(), targets, scoring)?;
    masked_scores_with_base(model, base, inputs, targets, maps, scoring)
}

/// As [`masked_scores`], with base scores that were taken before (by
/// [`base_scores`]): for several explainers of one model, which then sees
/// `n` rows a map.
///
/// # Errors
/// As [`masked_scores`]; [`Error::ShapeMismatch`] when there is not one base score a sample.
pub fn masked_scores_with_base<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    base: Vec<f64>,
    inputs: ArrayViewD<'_, T>,
    targets: &(impl IntoTargets + ?Sized),
    maps: ArrayViewD<'_, T>,
    scoring: &Scoring,
) -> Result<MaskedScores> {
    let targets = targets.to_targets()?;
    let n = checked_samples(&inputs, &targets, scoring)?;
    if base.len() != n {
        return Err(Error::shape("base", &[n], &[base.len()]));
    }
    let layout = checked_layout(&inputs, &maps, scoring)?;
    let masked = scoring.scores(model, n, &targets, &|samples| {
        mask_inputs(rows(&inputs, samples.clone()), rows(&maps, samples), layout)
    })?;
    Ok(MaskedScores { base, masked })
}

/// The layout of inputs whose maps fit them.
fn checked_layout<T: Real>(
    inputs: &ArrayViewD<'_, T>,
    maps: &ArrayViewD<'_, T>,
    scoring: &Scoring,
) -> Result<Layout> {
    let layout = scoring.layout_of(inputs.shape())?;
    let n = inputs.shape()[0];
    if n == 0 {
        return Err(Error::empty("inputs"));
    }
    if maps.shape().first() != Some(&n) {
        return Err(Error::shape_described(
            "explanations",
            format!("{n} samples, as the inputs"),
            maps.shape(),
        ));
    }
    check_finite("explanations", maps.view())?;
    // The shapes of one sample stand for all, so no batch is scored before a mismatch is found.
    mask_inputs(rows(inputs, 0..1), rows(maps, 0..1), layout).map_err(|e| match e {
        Error::ShapeMismatch { expected, .. } => Error::shape_described(
            "explanations",
            format!("a sample each like {expected}"),
            maps.shape(),
        ),
        other => other,
    })?;
    Ok(layout)
}
