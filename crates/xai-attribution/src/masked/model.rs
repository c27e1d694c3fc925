//! The model that is asked by kept features, as a model of inputs.

use ndarray::{Array2, ArrayView2, ArrayViewD, Axis};

use crate::model::{BoxError, Model};

/// A model that is asked for samples of which some features are removed.
///
/// Closures `Fn(&[usize], ArrayView2<bool>) -> Result<Array2<O>, E>` with outputs of `f32` or `f64` are such models. A call has
/// a row for each question: the sample that it is about, and which of its features are kept. All samples of a call have the same number of features. The
/// answer is `(rows, n_outputs)`; the score is read from it as from the outputs of any [`Model`]. Several threads may call it at once.
///
/// The same question has to have the same answer each time. Where a call is expensive, [`CachedModel`](super::CachedModel) asks
/// nothing twice.
pub trait MaskedModel: Sync {
    /// The outputs for some samples with some of their features.
    ///
    /// # Errors
    /// The model's own.
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError>;
}

impl<F, O, E> MaskedModel for F
where
    O: xai_core::Real,
    E: Into<BoxError>,
    F: Fn(&[usize], ArrayView2<'_, bool>) -> Result<Array2<O>, E> + Sync,
{
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        let answer = self(samples, kept).map_err(Into::into)?;
        Ok(answer.mapv_into_any(xai_core::Real::to_f64_exact))
    }
}

/// A masked model as a model of inputs: a feature that is there is 1, and one that is removed is 0.
pub(super) struct PresenceModel<'a> {
    pub(super) model: &'a dyn MaskedModel,
    /// The sample that each row of the inputs stands for.
    pub(super) samples: &'a [usize],
}

impl Model<f64> for PresenceModel<'_> {
    fn outputs(&self, batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, BoxError> {
        self.outputs_of(batch, &|row| row)
    }

    fn outputs_of(
        &self,
        batch: ArrayViewD<'_, f64>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        if let Some(value) = batch.iter().find(|&&value| value != 0.0 && value != 1.0) {
            let told = format!(
                "a masked model knows features that are kept or removed, and the metric sets one to {value}"
            );
            return Err(told.into());
        }
        let n_rows = batch.len_of(Axis(0));
        let samples: Vec<usize> = (0..n_rows)
            .map(|row| self.samples[sample_of(row)])
            .collect();
        let kept = batch.mapv(|value| value != 0.0).into_dimensionality()?;
        self.model.outputs(&samples, kept.view())
    }
}
