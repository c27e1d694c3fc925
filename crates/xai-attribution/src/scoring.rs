//! From batches of inputs to one score a sample.

use std::sync::Mutex;

use ndarray::Array2;
use xai_core::{Activation, Error, Layout, Real, Result};

use crate::batch::{BASE, Study, for_each_batch};
use crate::evaluation_error::EvaluationError;
use crate::{BoxError, CompletedScores, IntoTargets, Model, Samples, Targets};

/// How scores are taken from a model: activation, batch size, layout of the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scoring {
    /// What is applied to the model's outputs. Default: nothing.
    pub activation: Activation,
    /// The largest number of samples the model is called with. Default: 64.
    pub batch_size: usize,
    /// How the axes of the inputs are read. Default: by their number, channels last for images.
    pub layout: Option<Layout>,
}

impl Default for Scoring {
    fn default() -> Self {
        Self {
            activation: Activation::None,
            batch_size: 64,
            layout: None,
        }
    }
}

impl Scoring {
    /// The layout for inputs of this shape.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] when no layout fits.
    pub fn layout_of(&self, shape: &[usize]) -> Result<Layout> {
        match self.layout {
            Some(layout) if layout.n_axes() == shape.len() => Ok(layout),
            // Channels are a matter of images only.
            Some(Layout::ChannelsFirst) | None => {
                Layout::of_inputs(shape, self.layout == Some(Layout::ChannelsFirst))
            }
            Some(Layout::ChannelsLast) => Layout::of_inputs(shape, false),
            Some(layout) => Err(Error::shape_described(
                "inputs",
                format!("{} axes for {layout:?}", layout.n_axes()),
                shape,
            )),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.batch_size == 0 {
            return Err(Error::parameter("batch_size", 0, "at least 1"));
        }
        Ok(())
    }

    /// The scores of the rows of one call from what the model answered. `what` describes the
    /// call, `sample` the sample that a row is made of.
    pub(crate) fn scores_of_answer(
        &self,
        targets: &Targets,
        n_rows: usize,
        sample: impl Fn(usize) -> usize,
        what: impl Fn() -> String,
        answer: Result<Array2<f64>, BoxError>,
    ) -> Result<Vec<f64>> {
        let outputs = answer.map_err(|source| Error::model(what(), source))?;
        if outputs.nrows() != n_rows {
            return Err(Error::shape(
                format!("outputs of the model for {}", what()),
                &[n_rows, outputs.ncols()],
                &[outputs.nrows(), outputs.ncols()],
            ));
        }
        if let Some(((row, output), _)) = outputs.indexed_iter().find(|(_, x)| !x.is_finite()) {
            return Err(Error::NonFinite {
                what: format!("outputs of the model for {}", what()).into(),
                index: vec![sample(row), output],
            });
        }
        let mut scores = Vec::with_capacity(n_rows);
        let mut activated = Vec::with_capacity(outputs.ncols());
        for (row, outputs) in outputs.outer_iter().enumerate() {
            activated.clear();
            activated.extend(outputs);
            self.activation.apply_row(&mut activated);
            let score = targets.score(sample(row), &activated)?;
            if !score.is_finite() {
                return Err(Error::NonFinite {
                    what: "scores of the model".into(),
                    index: vec![sample(row)],
                });
            }
            scores.push(score);
        }
        Ok(scores)
    }
}

/// The model's score of every sample as it is: `g(f, x_i, y_i)`.
///
/// # Errors
/// As [`AverageDrop::evaluate`](crate::AverageDrop::evaluate).
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Scoring, base_scores};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let inputs = array![[1.0, 2.0], [3.0, 4.0]].into_dyn();
/// let targets = array![[1.0, 0.0], [-1.0, 1.0]];
/// let scores = base_scores(&model, inputs.view(), &targets, &Scoring::default())?;
/// assert_eq!(scores, [1.0, 1.0]); // 1·1 + 0·2 and −1·3 + 1·4
/// # Ok::<(), xai_attribution::Error>(())
/// ```
pub fn base_scores<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    inputs: impl Samples<T>,
    targets: &(impl IntoTargets + ?Sized),
    scoring: &Scoring,
) -> Result<Vec<f64>, EvaluationError> {
    let study = Study::new(inputs, targets.to_targets()?, *scoring)?;
    let scores = Mutex::new(vec![None; study.n_samples()]);
    let outcome = for_each_batch(model, &study, &|batch| {
        let base = batch.base_scores()?;
        let mut scores = lock(&scores);
        for (score, &base) in scores[batch.samples()].iter_mut().zip(base) {
            *score = Some(base);
        }
        Ok(())
    });
    let scores = into_inner(scores);
    match outcome {
        Ok(()) => Ok(scores.into_iter().flatten().collect()),
        Err(stopped) => Err(stopped.with_completed(vec![CompletedScores {
            explainer: None,
            score: BASE.into(),
            per_sample: scores,
        }])),
    }
}

/// A panic of the model in another thread must not hide behind a poisoned lock.
pub(crate) fn lock<V>(mutex: &Mutex<V>) -> std::sync::MutexGuard<'_, V> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

pub(crate) fn into_inner<V>(mutex: Mutex<V>) -> V {
    mutex
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
