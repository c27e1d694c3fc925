//! From batches of inputs to one score a sample.

use ndarray::{Array2, ArrayD, ArrayViewD, Axis, Slice};
use xai_core::{Activation, Error, Layout, Real, Result, check_finite};

use crate::{BoxError, IntoTargets, Model, Targets};

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

    /// Scores `n` samples; `make` hands out the inputs of a range of samples.
    pub(crate) fn scores<T: Real, M: Model<T> + ?Sized>(
        &self,
        model: &M,
        n: usize,
        targets: &Targets,
        make: &(dyn Fn(std::ops::Range<usize>) -> Result<ArrayD<T>> + Sync),
    ) -> Result<Vec<f64>> {
        let range = |batch: usize| batch * self.batch_size..((batch + 1) * self.batch_size).min(n);
        let n_batches = n.div_ceil(self.batch_size);
        let answers = model.outputs_of_batches(n_batches, &|batch| Ok(make(range(batch))?));
        let mut scores = Vec::with_capacity(n);
        for (batch, answer) in answers.into_iter().enumerate() {
            scores.extend(self.score_batch(range(batch), targets, answer)?);
        }
        Ok(scores)
    }

    /// The scores of one batch from what the model answered.
    pub(crate) fn score_batch(
        &self,
        samples: std::ops::Range<usize>,
        targets: &Targets,
        answer: Result<Array2<f64>, BoxError>,
    ) -> Result<Vec<f64>> {
        let batch = samples.start / self.batch_size;
        let what = || format!("batch {batch} (samples {}..{})", samples.start, samples.end);
        let outputs = answer.map_err(|source| Error::model(what(), source))?;
        if outputs.nrows() != samples.len() {
            return Err(Error::shape(
                format!("outputs of the model for {}", what()),
                &[samples.len(), outputs.ncols()],
                &[outputs.nrows(), outputs.ncols()],
            ));
        }
        if let Some(((row, output), _)) = outputs.indexed_iter().find(|(_, x)| !x.is_finite()) {
            return Err(Error::NonFinite {
                what: format!("outputs of the model for {}", what()).into(),
                index: vec![samples.start + row, output],
            });
        }
        let mut scores = Vec::with_capacity(samples.len());
        let mut activated = Vec::new();
        for (row, sample) in outputs.outer_iter().zip(samples) {
            activated.clear();
            activated.extend(row);
            self.activation.apply_row(&mut activated);
            let score = targets.score(sample, &activated)?;
            if !score.is_finite() {
                return Err(Error::NonFinite {
                    what: "scores of the model".into(),
                    index: vec![sample],
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
    inputs: ArrayViewD<'_, T>,
    targets: &(impl IntoTargets + ?Sized),
    scoring: &Scoring,
) -> Result<Vec<f64>> {
    let targets = targets.to_targets()?;
    checked_samples(&inputs, &targets, scoring)?;
    scoring.scores(model, inputs.shape()[0], &targets, &|samples| {
        Ok(rows(&inputs, samples).to_owned())
    })
}

/// Checks what every metric with a model checks, and gives the number of samples.
pub(crate) fn checked_samples<T: Real>(
    inputs: &ArrayViewD<'_, T>,
    targets: &Targets,
    scoring: &Scoring,
) -> Result<usize> {
    scoring.check()?;
    let n = inputs.shape().first().copied().unwrap_or_default();
    if n == 0 {
        return Err(Error::empty("inputs"));
    }
    if targets.n_samples() != n {
        return Err(Error::shape("targets", &[n], &[targets.n_samples()]));
    }
    check_finite("inputs", inputs.view())?;
    Ok(n)
}

/// Some samples of an array.
pub(crate) fn rows<'a, T>(
    array: &'a ArrayViewD<'_, T>,
    samples: std::ops::Range<usize>,
) -> ArrayViewD<'a, T> {
    array.slice_axis(Axis(0), Slice::from(samples))
}
